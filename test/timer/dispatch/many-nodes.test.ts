import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { random } from '../../../server/adapter/machine/random.ts';
import { RedisLiveNodes } from '../../../server/adapter/redis/redis-live-nodes.ts';
import { type LiveNodes, loneNode } from '../../../server/timer/dispatch/live-nodes.ts';
import { timed } from '../../proof/table/tries.ts';
import { beginInUse, countOf, startRedisIndex } from '../../support/engine/due-index.ts';
import { kindsOf } from '../../support/engine/kinds.ts';
import { neverExclusive, orders, runningEngine } from '../../support/engine/running-engine.ts';
import { recordEffects } from '../../support/engine/timer-engine.ts';
import { recordedLog } from '../../support/log/logs.ts';
import { createTimerDatabase } from '../../support/postgres/timer-database.ts';

const url = inject('redisUrl');

describe.skipIf(url === '')('many nodes on one Postgres and one Redis', () => {
  let database: Awaited<ReturnType<typeof createTimerDatabase>>;
  let prefix: string;
  const stops: (() => Promise<void>)[] = [];
  /** A node without the safety net. */
  const start = async (nodes?: LiveNodes) => {
    const node = await runningEngine({
      pool: database.pool,
      prefix,
      exclusive: neverExclusive,
      ...(nodes && { nodes }),
    });
    stops.push(node.stop);
    node.engine.register({ kind: 'order', fire: recordEffects });
    await node.engine.join();
    // The leader would begin the refill.
    await beginInUse(node.index);
    await node.engine.start();
    return node;
  };
  /** A node as it is, not started. */
  const node = async (shards?: number) => {
    const made = await runningEngine({ pool: database.pool, prefix, ...(shards && { shards }) });
    stops.push(made.stop);
    await made.store.registerKinds(kindsOf('order'));
    return made;
  };
  const effects = async (): Promise<readonly unknown[]> =>
    (await database.pool.query('select timer from effect')).rows.map(({ timer }) => timer);

  beforeEach(async () => {
    database = await createTimerDatabase(inject('postgresUrl'));
    prefix = random.uniqueName();
    await database.pool.query('create table effect (timer bigint, at bigint)');
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
    await database.dispose();
  });

  it('fire each timer once while one after the other leaves', async () => {
    const nodes = [await start(), await start(), await start()];
    const last = nodes[0];
    const nowMs = (await last?.store.nowMs()) ?? 0;
    await last?.engine.timers.schedule(orders(1500, 0, nowMs));
    for (const node of nodes.slice(1)) {
      await node.engine.stop();
      const fired = await effects();
      expect(new Set(fired).size).toBe(fired.length);
    }
    await vi.waitFor(async () => expect(new Set(await effects()).size).toBe(1500), { timeout: 15_000 });
    for (const stop of stops.splice(0)) await stop();
    expect(await effects()).toHaveLength(1500);
  });

  it('fire each timer once while two nodes think that every shard is theirs', async () => {
    const [first] = [await start(loneNode), await start(loneNode)];
    await first.engine.timers.schedule(orders(300, 20, await first.store.nowMs()));
    await vi.waitFor(async () => expect(new Set(await effects()).size).toBe(300), { timeout: 15_000 });
    // A node that has stopped has fired what it received.
    for (const stop of stops.splice(0)) await stop();
    expect(await effects()).toHaveLength(300);
  });

  it('take a dead node’s shards within three seconds, without the sweep', async () => {
    const dead = await startRedisIndex({ url, prefix, isBegun: false });
    const nodes = Array.from({ length: 8 }, (_, at) => {
      return new RedisLiveNodes({ client: dead.client, inUse: dead.index.inUse, self: `dead-${at}` });
    });
    await Promise.all(nodes.map((node) => node.heartbeat()));
    const diedAtMs = performance.now();
    const alive = await start();
    await alive.engine.timers.schedule(orders(200, 0, await alive.store.nowMs()));
    await vi.waitFor(async () => expect(await effects()).toHaveLength(200), { timeout: 15_000 });
    expect(performance.now() - diedAtMs).toBeLessThan(timed(3000));
    await dead.dispose();
  });

  it('rebuild once, all together, where Redis has nothing', async () => {
    const first = await node();
    const nodes = [first, ...(await Promise.all([node(), node()]))];
    await first.engine.timers.schedule(orders(100, 3_600_000, await first.store.nowMs()));
    let rebuilt = 0;
    for (const each of nodes)
      void each.seen('rebuilt', 1).then(() => {
        rebuilt += 1;
      });
    await Promise.all(nodes.map(({ engine }) => engine.start()));
    await vi.waitFor(() => expect(nodes.every(({ engine }) => engine.isIndexWhole)).toBe(true), { timeout: 5000 });
    expect(rebuilt).toBe(1);
    expect(await countOf(first.index)).toBe(100);
    expect((await database.pool.query('select generation from kibble.timer_index')).rows).toEqual([{ generation: 2 }]);
  });

  it('know an index that was restored from an old copy by its number, within two seconds', async () => {
    const { engine, store, index, client, seen } = await node();
    const built = seen('rebuilt', 1);
    await engine.start();
    await built;
    const copies: [string, Buffer][] = [];
    for (const key of await client.keys(`{${prefix}:*`)) {
      const dump = await client.dumpBuffer(key);
      if (dump !== null) copies.push([key, dump]);
    }
    const again = seen('rebuilt', 1);
    await engine.indexOperations.rebuild();
    await again;
    await engine.timers.schedule(orders(50, 3_600_000, await store.nowMs()));
    const restored = seen('rebuilt', 1);
    await client.del(...(await client.keys(`{${prefix}:*`)));
    for (const [key, dump] of copies) await client.restore(key, 0, dump);
    const restoredAtMs = performance.now();
    await restored;
    expect(performance.now() - restoredAtMs).toBeLessThan(timed(2000));
    expect(await countOf(index)).toBe(50);
  });

  it('have the shards of the first start, whatever they are told later', async () => {
    const first = await node();
    await first.engine.start();
    const later = await node(16);
    await later.engine.start();
    expect(first.index.inUse.shards).toBe(4);
    expect(later.index.inUse.shards).toBe(4);
  });

  it('heal within five seconds what was scheduled while one of them did not reach Redis, without a rebuild', async () => {
    const [first, cut] = [await node(), await node()];
    const built = first.seen('rebuilt', 1);
    await first.engine.start();
    await built;
    await cut.engine.join();
    cut.index.stop();
    let rebuilt = 0;
    void first.seen('rebuilt', 1).then(() => {
      rebuilt += 1;
    });
    await cut.engine.timers.schedule(orders(100, 30_000, await cut.store.nowMs()));
    await cut.engine.timers.schedule(orders(100, 3_600_000, await cut.store.nowMs()));
    expect(await countOf(first.index)).toBe(0);
    await vi.waitFor(async () => expect(await countOf(first.index)).toBe(200), { timeout: 5000 });
    expect(rebuilt).toBe(0);
  });

  it('fire each timer once when one of them does not know the kind, which says so once a minute', async () => {
    const { log, lines } = recordedLog();
    const stranger = await runningEngine({ pool: database.pool, prefix, log });
    stops.push(stranger.stop);
    await stranger.store.registerKinds(kindsOf('order'));
    await stranger.engine.start();
    const putBack = stranger.seen('requeued', 2);
    const nowMs = await stranger.store.nowMs();
    await stranger.engine.timers.schedule([...orders(100, 0, nowMs), ...orders(100, 300, nowMs)]);
    await putBack;
    const knowing = await runningEngine({ pool: database.pool, prefix });
    stops.push(knowing.stop);
    knowing.engine.register({ kind: 'order', fire: recordEffects });
    await knowing.engine.start();
    await vi.waitFor(async () => expect(new Set(await effects()).size).toBe(200), { timeout: 15_000 });
    for (const stop of stops.splice(0)) await stop();
    expect(await effects()).toHaveLength(200);
    expect(lines.map(({ code }) => code)).toEqual(['timer/unknown-kind']);
  });
});
