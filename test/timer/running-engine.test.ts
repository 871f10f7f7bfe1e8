import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { random } from '../../server/adapter/machine/random.ts';
import type { Exclusive } from '../../server/runtime/exclusive.ts';
import { timed } from '../proof/table/tries.ts';
import { beginInUse, countOf } from '../support/engine/due-index.ts';
import { kindsOf } from '../support/engine/kinds.ts';
import { neverExclusive, orders, runningEngine } from '../support/engine/running-engine.ts';
import { recordEffects } from '../support/engine/timer-engine.ts';
import { createTimerDatabase } from '../support/postgres/timer-database.ts';

const url = inject('redisUrl');

describe.skipIf(url === '')('a running engine on Postgres and Redis', () => {
  let database: Awaited<ReturnType<typeof createTimerDatabase>>;
  let prefix: string;
  const stops: (() => Promise<void>)[] = [];
  const start = async (exclusive?: Exclusive) => {
    const started = await runningEngine({ pool: database.pool, prefix, ...(exclusive && { exclusive }) });
    stops.push(started.stop);
    return started;
  };
  beforeEach(async () => {
    database = await createTimerDatabase(inject('postgresUrl'));
    prefix = random.uniqueName();
    await database.pool.query('create table effect (timer bigint, at bigint)');
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
    await database.dispose();
  });

  const early = `select from effect e join kibble.timer t on t.id = e.timer where e.at < t.due_at`;

  it('fires each of two hundred timers once, none early, without anybody who sweeps', async () => {
    const { engine, index, store, seen } = await start(neverExclusive);
    engine.register({ kind: 'order', fire: recordEffects });
    await engine.join();
    await beginInUse(index);
    await engine.start();
    const fired = seen('fired', 200);
    await engine.timers.schedule(orders(200, 50, await store.nowMs()));
    await fired;
    const { rows } = await database.pool.query('select timer from effect');
    expect(new Set(rows.map(({ timer }) => timer)).size).toBe(200);
    expect(rows).toHaveLength(200);
    expect((await database.pool.query(early)).rowCount).toBe(0);
  });

  it('finishes what it fires before it has stopped', async () => {
    const { engine, store, stop } = await start();
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const entered = new Promise<void>((resolve) => {
      engine.register({
        kind: 'order',
        fire: async (timers, tx, nowMs) => {
          resolve();
          await released;
          return recordEffects(timers, tx, nowMs);
        },
      });
    });
    await engine.start();
    await engine.timers.schedule(orders(1, 0, await store.nowMs()));
    await entered;
    stops.length = 0;
    const stopped = stop();
    release();
    await stopped;
    expect((await database.pool.query('select from effect')).rowCount).toBe(1);
  });

  it('fires within seven seconds what a process that died had received and never acked', async () => {
    const dead = await start();
    await dead.store.registerKinds(kindsOf('order'));
    await dead.engine.join();
    await beginInUse(dead.index);
    const nowMs = await dead.store.nowMs();
    await dead.engine.timers.schedule(orders(30, -1000, nowMs));
    const never = new AbortController().signal;
    for (let shard = 0; shard < dead.index.inUse.shards; shard += 1)
      await dead.index.handOffs.handOff(shard, nowMs, 100);
    expect(await dead.index.queue.receive(1000, 0, never)).not.toHaveLength(0);
    const receivedAtMs = performance.now();
    await dead.stop();
    stops.length = 0;

    const next = await start();
    next.engine.register({ kind: 'order', fire: recordEffects });
    const fired = next.seen('fired', 30);
    await next.engine.start();
    await fired;
    expect(performance.now() - receivedAtMs).toBeLessThan(timed(7_000));
    expect((await database.pool.query('select from effect')).rowCount).toBe(30);
    // The refill may have put them as well: they are handed off, and found done.
    await vi.waitFor(async () => expect(await countOf(next.index)).toBe(0), { timeout: 5000 });
  });

  it('refills Redis after it was emptied, while it serves', async () => {
    const { engine, index, client, store, seen } = await start();
    engine.register({ kind: 'order', fire: recordEffects });
    const firstBuilt = seen('rebuilt', 1);
    await engine.start();
    await firstBuilt;
    await engine.timers.schedule(orders(100, 3_600_000, await store.nowMs()));
    const rebuilt = seen('rebuilt', 1);
    const names = await client.keys(`{${prefix}*`);
    await client.del(...names);
    await rebuilt;
    expect(await countOf(index)).toBe(100);
    const fired = seen('fired', 10);
    await engine.timers.schedule(orders(10, 10, await store.nowMs()));
    await fired;
  });

  it('fires by the sweep while Redis does not answer, and answers writes', async () => {
    const { engine, index, store, seen } = await start();
    engine.register({ kind: 'order', fire: recordEffects });
    const built = seen('rebuilt', 1);
    await engine.start();
    await built;
    index.stop();
    const fired = seen('fired', 10);
    await engine.timers.schedule(orders(10, 10, await store.nowMs()));
    expect(engine.isIndexWhole).toBe(false);
    await fired;
    expect((await database.pool.query('select from effect')).rowCount).toBe(10);
  });
});
