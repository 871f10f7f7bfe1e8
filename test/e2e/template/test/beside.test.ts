import assert from 'node:assert';
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createEndpoint, defineServer, type Router, type ServerOptions } from 'colyseus';
import { ownKibble } from './own-kibble.js';

/** A server of which each part notes whether Kibble runs when the part boots or ends. */
const gameWith = (schema: string) => {
  const kibble = ownKibble(schema);
  const done: string[] = [];
  const note = (step: string): void => {
    done.push(`${step} ${kibble.health.degraded() ? 'with' : 'without'} Kibble`);
  };
  // Has the shape of the `GameDatabase` of @colyseus/database.
  const database = {
    boot: async () => note('boot'),
    shutdown: async () => note('shutdown'),
    applyRouterDefaults: (router: Router) =>
      router.extend({ own: createEndpoint('/own', { method: 'GET' }, async () => 'a row') }) as unknown as Router,
  };
  const serve = (more: Partial<ServerOptions>) => {
    const server = defineServer({ rooms: {}, greet: false, gracefullyShutdown: false, ...more } as never);
    server.onShutdown(() => note('the game'));
    return server;
  };
  return { kibble, done, database, serve };
};

describe('Kibble', () => {
  it('boots after a database that the game has already, and ends before it', async () => {
    const { kibble, done, database, serve } = gameWith('beside');
    const server = serve({ database: kibble.lifecycle.beside(database) });
    await server.listen(0);
    assert.deepStrictEqual(kibble.health.degraded(), []);
    const { port } = (server.transport.server as HttpServer).address() as AddressInfo;
    assert.match(await (await fetch(`http://127.0.0.1:${port}/own`)).text(), /a row/);
    await server.gracefullyShutdown(false);
    assert.deepStrictEqual(done, ['boot without Kibble', 'shutdown without Kibble', 'the game without Kibble']);
  });

  it('does not run where that database cannot boot', async () => {
    const { kibble, done, database, serve } = gameWith('beside_none');
    const boot = () => Promise.reject(new Error('no database today'));
    const server = serve({ database: kibble.lifecycle.beside({ ...database, boot }) });
    await assert.rejects(server.listen(0), /no database today/);
    assert.deepStrictEqual(done, ['shutdown without Kibble']);
  });

  it('boots without the option database, and ends before the game', async () => {
    const { kibble, done, serve } = gameWith('without_slot');
    const server = serve({ beforeListen: () => kibble.lifecycle.boot() });
    await server.listen(0);
    assert.deepStrictEqual(kibble.health.degraded(), []);
    await server.gracefullyShutdown(false);
    assert.deepStrictEqual(done, ['the game without Kibble']);
  });
});
