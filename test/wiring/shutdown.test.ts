import { Pool } from 'pg';
import { beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest';
import { createKibble, type KibbleOptions } from '../../server/kibble.ts';
import type { EngineLog } from '../../server/runtime/engine-log.ts';
import { timed } from '../proof/table/tries.ts';
import { silentNetwork } from '../support/machine/relay.ts';
import { migratedDatabase } from '../support/postgres/home-database.ts';
import type { TestDatabase } from '../support/postgres/postgres-server.ts';

const DRAIN_MS = 500;
const BOUND_MS = DRAIN_MS + 5000;

let database: TestDatabase;

beforeEach(async () => {
  database = await migratedDatabase(inject('postgresUrl'));
  // Behind what a test itself ends: Postgres drops no database while a session on its server is still logging in.
  onTestFinished(() => database.drop());
});

/** The other fields of the lines with this code. */
const leftLog = () => {
  const left: unknown[] = [];
  const error = (fields: object): void => {
    if ('left' in fields && Array.isArray(fields.left)) left.push(...fields.left);
  };
  const log: EngineLog = { info: () => undefined, warn: () => undefined, error };
  return { log, left };
};

/** A Kibble of which something hangs, and how its shutdown went. */
const hanging = async (options: Partial<KibbleOptions>, url = database.url) => {
  const pool = new Pool({ connectionString: url, max: 8 });
  pool.on('error', () => undefined);
  const clients = new Set<{ end(): unknown; connection?: { stream: { destroy(): unknown } } }>();
  pool.on('connect', (client) => clients.add(client as never));
  // A hanging handler never releases its connection.
  onTestFinished(() => {
    for (const { connection } of clients) connection?.stream.destroy();
  });
  const { log, left } = leftLog();
  const kibble = createKibble({ pool, log, drainMs: DRAIN_MS, playerId: ({ sub }) => sub, ...options });
  await kibble.lifecycle.boot();
  const shutDown = async () => {
    const beganAtMs = performance.now();
    await kibble.lifecycle.shutdown();
    return { tookMs: performance.now() - beganAtMs, left };
  };
  return { kibble, shutDown };
};

const never = new Promise<never>(() => undefined);
const gift = { playerId: 'ann', commandId: 'a-command', items: { snack: 1 }, reason: 'gift' };

describe('a shutdown ends within its bound, and says what did not end,', () => {
  it('while Postgres is silent and a command waits for it', async () => {
    const network = await silentNetwork(database.url);
    onTestFinished(() => network.stop());
    const { kibble, shutDown } = await hanging({}, network.url);
    network.cut();
    void kibble.homes.grant([gift]).catch(() => undefined);
    const { tookMs, left } = await shutDown();
    expect(tookMs).toBeLessThan(timed(BOUND_MS + 500));
    expect(left).toContain('commands');
  });

  it('while a consumer never returns', async () => {
    const reached = Promise.withResolvers<void>();
    const handle = (): Promise<never> => {
      reached.resolve();
      return never;
    };
    const { kibble, shutDown } = await hanging({ consumers: [{ name: 'quests', handle }] });
    await kibble.homes.grant([gift]);
    await reached.promise;
    const { tookMs, left } = await shutDown();
    expect(tookMs).toBeLessThan(timed(BOUND_MS + 500));
    expect(left).toEqual(['consumers']);
  });

  it('while an inventory never returns', async () => {
    const reached = Promise.withResolvers<void>();
    const load = (): Promise<never> => {
      reached.resolve();
      return never;
    };
    const { kibble, shutDown } = await hanging({ inventory: { load, apply: async () => undefined } });
    void kibble.homes.grant([gift]).catch(() => undefined);
    await reached.promise;
    const { tookMs, left } = await shutDown();
    expect(tookMs).toBeLessThan(timed(BOUND_MS + 500));
    expect(left).toEqual(['commands']);
  });

  it.each(['fire', 'call'] as const)('while a %s never returns', async (form) => {
    const reached = Promise.withResolvers<void>();
    const handler = (): Promise<never> => {
      reached.resolve();
      return never;
    };
    const kind = form === 'fire' ? { kind: 'bread', fire: handler } : { kind: 'bread', call: handler };
    const { kibble, shutDown } = await hanging({ kinds: [kind] });
    await kibble.timers.schedule([{ kind: 'bread', subject: 'a', owner: 'ann', inMs: 0 }]);
    await reached.promise;
    const { tookMs, left } = await shutDown();
    expect(tookMs).toBeLessThan(timed(BOUND_MS + 500));
    expect(left).toEqual(form === 'fire' ? ['bread'] : []);
  });

  it('and frees the right to run, whatever has not ended', async () => {
    const { kibble, shutDown } = await hanging({ consumers: [{ name: 'quests', handle: () => never }] });
    await kibble.homes.grant([gift]);
    await shutDown();
    const next = await hanging({});
    expect((await next.shutDown()).left).toEqual([]);
  });

  it('also with a clock that a test moves', async () => {
    const { ManualClock } = await import('../../server/kibble.ts');
    const reached = Promise.withResolvers<void>();
    const handle = (): Promise<never> => {
      reached.resolve();
      return never;
    };
    const clock = new ManualClock(1_800_000_000_000);
    const { kibble, shutDown } = await hanging({ clock, consumers: [{ name: 'quests', handle }] });
    await kibble.homes.grant([gift]);
    void kibble.runDue();
    await reached.promise;
    expect((await shutDown()).tookMs).toBeLessThan(timed(BOUND_MS + 500));
  });
});
