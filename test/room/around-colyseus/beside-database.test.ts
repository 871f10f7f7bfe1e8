import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createEndpoint, defineServer, type Router } from '@colyseus/core';
import { WebSocketTransport } from '@colyseus/ws-transport';
import { Pool } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { createKibble, type Kibble } from '../../../server/kibble.ts';
import { sessionsOnRight } from '../../../server/wiring/right-to-run.ts';
import { recordedLog } from '../../support/log/logs.ts';
import { hostDatabase } from '../../support/postgres/host-database.ts';

type Step = 'boot' | 'shutdown' | 'routes';

/** Has the shape of the `GameDatabase` of `@colyseus/database`: one boot however often it is asked for, private state, routes. */
class GameDatabase {
  readonly done: string[] = [];
  readonly #fails: readonly Step[];
  readonly #kibble: () => Kibble;
  #booted: Promise<void> | undefined;

  constructor(kibble: () => Kibble, fails: readonly Step[] = []) {
    this.#kibble = kibble;
    this.#fails = fails;
  }

  boot(): Promise<void> {
    this.#booted ??= this.#do('boot');
    return this.#booted;
  }

  shutdown(): Promise<void> {
    return this.#do('shutdown');
  }

  applyRouterDefaults(router: Router): Router {
    this.#note('routes');
    const hello = createEndpoint('/hello', { method: 'GET' }, async () => 'from the database');
    return router.extend({ hello }) as unknown as Router;
  }

  async #do(step: Step): Promise<void> {
    await Promise.resolve();
    this.#note(step);
  }

  #note(step: Step): void {
    this.done.push(`${step}: Kibble ${this.#kibble().health.degraded() ? 'runs' : 'does not run'}`);
    if (this.#fails.includes(step)) throw new Error(`no ${step} today`);
  }
}

/** A game's server with its own database and Kibble in the one place that Colyseus has. */
const gameOn = async ({ fails = [], most = 8 }: { fails?: readonly Step[]; most?: number } = {}) => {
  const { pool, url } = await hostDatabase();
  const own = new Pool({ connectionString: url, max: most });
  own.on('error', () => undefined);
  onTestFinished(() => own.end());
  const { log, lines } = recordedLog();
  const kibble: Kibble = createKibble({ pool: own, log, playerId: ({ sub }: { sub: string }) => sub });
  const database = new GameDatabase(() => kibble, fails);
  const server = defineServer({
    rooms: {},
    database: kibble.lifecycle.beside(database),
    transport: new WebSocketTransport(),
    greet: false,
    gracefullyShutdown: false,
  });
  server.onShutdown(() => void database.done.push('the game'));
  const isFree = async () => (await sessionsOnRight({ pool, schema: 'kibble' })).length === 0;
  return { kibble, database, server, isFree, errors: () => lines.filter(({ level }) => level === 'error') };
};

it('a database of the game’s own boots before Kibble and ends after it, and its routes are served', async () => {
  const { kibble, database, server } = await gameOn();
  await server.listen(0);
  expect(kibble.health.degraded()).toEqual([]);
  const { port } = (server.transport.server as Server).address() as AddressInfo;
  expect(await (await fetch(`http://127.0.0.1:${port}/hello`)).text()).toContain('from the database');
  await kibble.homes.look(['ann']);
  await server.gracefullyShutdown(false);
  expect(database.done).toEqual([
    'boot: Kibble does not run',
    'routes: Kibble runs',
    'shutdown: Kibble does not run',
    'the game',
  ]);
});

it('where Kibble cannot boot the database ends again', async () => {
  const { database, server, isFree } = await gameOn({ most: 1 });
  await expect(server.listen(0)).rejects.toMatchObject({ code: 'database/pool-too-small' });
  expect(database.done).toEqual(['boot: Kibble does not run', 'shutdown: Kibble does not run']);
  expect(await isFree()).toBe(true);
});

it('where the database cannot boot Kibble does not, and what of the database has booted ends', async () => {
  const { database, server, isFree, errors } = await gameOn({ fails: ['boot', 'shutdown'] });
  await expect(server.listen(0)).rejects.toThrow('boot of the database: Error: no boot today');
  expect(database.done).toEqual(['boot: Kibble does not run', 'shutdown: Kibble does not run']);
  expect(errors()).toMatchObject([{ message: expect.stringContaining('did not shut down') }]);
  expect(await isFree()).toBe(true);
});

it('where its routes cannot be added both end', async () => {
  const { database, server, isFree } = await gameOn({ fails: ['routes'] });
  await expect(server.listen(0)).rejects.toThrow('no routes today');
  expect(database.done.slice(-2)).toEqual(['routes: Kibble runs', 'shutdown: Kibble does not run']);
  expect(await isFree()).toBe(true);
});

it('where the port is taken both end', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void taken.close());
  const { database, server, isFree } = await gameOn();
  const { port } = taken.address() as AddressInfo;
  await expect(server.listen(port, '127.0.0.1')).rejects.toMatchObject({ code: 'EADDRINUSE' });
  expect(database.done.at(-1)).toBe('shutdown: Kibble does not run');
  expect(await isFree()).toBe(true);
});

it('a database that does not shut down keeps nothing else from its end', async () => {
  const { kibble, database, server, isFree } = await gameOn({ fails: ['shutdown'] });
  await server.listen(0);
  await server.gracefullyShutdown(false);
  expect(database.done.slice(-2)).toEqual(['shutdown: Kibble does not run', 'the game']);
  expect(kibble.health.degraded()).toBeUndefined();
  expect(await isFree()).toBe(true);
});

it('a database may do no more than boot, and both may be booted and shut down by hand', async () => {
  const { pool } = await hostDatabase();
  const { log } = recordedLog();
  const kibble = createKibble({ pool, log, playerId: ({ sub }) => sub });
  const both = kibble.lifecycle.beside({ boot: async () => undefined });
  expect(Object.keys(both)).toEqual(['boot', 'shutdown']);
  await both.boot();
  expect(kibble.health.degraded()).toEqual([]);
  await Promise.all([both.shutdown(), both.shutdown()]);
  expect(kibble.health.degraded()).toBeUndefined();
});
