import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { random } from '../../../server/adapter/machine/random.ts';
import { Database } from '../../../server/adapter/postgres/database.ts';
import { PostgresGenerations } from '../../../server/adapter/postgres/timer/generations.ts';
import type { Generations } from '../../../server/timer/index/generation.ts';
import { countOf } from '../../support/engine/due-index.ts';
import { orders, runningEngine } from '../../support/engine/running-engine.ts';
import type { IndexFaults } from '../../support/engine/sabotaged.ts';
import { recordEffects } from '../../support/engine/timer-engine.ts';
import { createTimerDatabase } from '../../support/postgres/timer-database.ts';

const url = inject('redisUrl');
const HOUR_MS = 3_600_000;
/** The promised bound during a fault; without one it is much shorter. */
const LATEST_MS = 7000;
const never = new AbortController().signal;

describe.skipIf(url === '')('an index that gets another number of shards', () => {
  let database: Awaited<ReturnType<typeof createTimerDatabase>>;
  let prefix: string;
  const stops: (() => Promise<void>)[] = [];
  const node = async (options: { generations?: Generations; faults?: IndexFaults } = {}) => {
    const made = await runningEngine({ pool: database.pool, prefix, ...options });
    stops.push(made.stop);
    made.engine.register({ kind: 'order', fire: recordEffects });
    return made;
  };
  const started = async (options: { faults?: IndexFaults } = {}) => {
    const made = await node(options);
    await made.engine.start();
    return made;
  };
  type Node = Awaited<ReturnType<typeof node>>;
  const whole = async (of: Node, shards: number): Promise<void> => {
    await vi.waitFor(
      async () =>
        expect(await of.engine.indexOperations.state()).toMatchObject({
          shards,
          isWhole: true,
          wantedShards: undefined,
        }),
      { timeout: 10_000 },
    );
  };
  /** Generations that have keys in Redis. */
  const generationsLeft = async (of: Node): Promise<readonly string[]> => {
    const names = await of.client.keys(`{${prefix}:*`);
    return [...new Set(names.map((name) => name.split(':')[1] ?? ''))];
  };
  const onlyTheOneInForceIsLeft = (of: Node) =>
    vi.waitFor(async () => expect(await generationsLeft(of)).toEqual([String(of.index.inUse.number)]), {
      timeout: 5000,
    });
  const fired = async () => {
    const { rows } = await database.pool.query<{ timer: string; late: string }>(
      'select e.timer, e.at - t.due_at as late from effect e join kibble.timer t on t.id = e.timer',
    );
    return rows.map(({ timer, late }) => ({ timer, lateMs: Number(late) }));
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

  it('fires each timer once and none early, from 4 shards to 16 to 3, and leaves no keys of before', async () => {
    const nodes = [await started(), await started(), await started()];
    const [first, second, third] = nodes as [Node, Node, Node];
    await whole(first, 4);
    let [wave, isOver] = [0, false];
    const load = async (): Promise<void> => {
      while (!isOver) {
        const by = nodes[wave % nodes.length] ?? first;
        const nowMs = await by.store.nowMs();
        const wanted = orders(30, (wave % 10) * 150, nowMs);
        await by.engine.timers.schedule(wanted.map((order) => ({ ...order, subject: `${wave}/${order.subject}` })));
        wave += 1;
      }
    };
    const loading = load();
    await second.engine.indexOperations.reshard(16);
    await whole(third, 16);
    await third.engine.indexOperations.reshard(3);
    await whole(first, 3);
    isOver = true;
    await loading;
    await vi.waitFor(async () => expect(await fired()).toHaveLength(wave * 30), { timeout: 10_000 });
    const all = await fired();
    expect(new Set(all.map(({ timer }) => timer)).size).toBe(wave * 30);
    expect(Math.min(...all.map(({ lateMs }) => lateMs))).toBeGreaterThanOrEqual(0);
    expect(Math.max(...all.map(({ lateMs }) => lateMs))).toBeLessThan(LATEST_MS);
    expect(nodes.map(({ index }) => index.inUse.shards)).toEqual([3, 3, 3]);
    await onlyTheOneInForceIsLeft(first);
  });

  it('takes no harm from a node that was frozen all the while and comes back with what it held', async () => {
    let thaw: (() => void) | undefined;
    let frozen = Promise.resolve();
    const rows = new PostgresGenerations(new Database({ pool: database.pool, schema: 'kibble' }));
    const inForce = async (firstShards: number) => {
      await frozen;
      const found = await rows.inForce(firstShards);
      // A look that had begun before sleeps as well.
      await frozen;
      return found;
    };
    const first = await started();
    await whole(first, 4);
    const asleep = await node({ generations: Object.assign(Object.create(rows), { inForce }) });
    await asleep.engine.join();
    const nowMs = await first.store.nowMs();
    await asleep.index.orders.put([{ timerId: '999999', owner: 'ann', fireAtMs: nowMs + HOUR_MS, revision: 1 }]);
    frozen = new Promise((resolve) => {
      thaw = resolve;
    });
    await first.engine.indexOperations.reshard(16);
    await whole(first, 16);
    await onlyTheOneInForceIsLeft(first);

    expect(asleep.index.inUse.shards).toBe(4);
    const scheduled = asleep.engine.timers.schedule(orders(50, HOUR_MS, nowMs));
    for (let shard = 0; shard < 4; shard += 1) await asleep.index.handOffs.handOff(shard, nowMs, 100);
    expect(await asleep.index.queue.receive(100, 0, never)).toEqual([]);
    expect(await asleep.index.queue.reclaim(0, 100)).toEqual([]);
    await asleep.index.queue.forgetConsumers(0);
    await asleep.index.marks.raisePulse();
    expect(await asleep.index.marks.finish(asleep.index.inUse.number)).toBe(false);
    expect(await generationsLeft(first)).toEqual([String(first.index.inUse.number)]);

    thaw?.();
    await scheduled;
    await asleep.engine.timers.idle();
    expect(asleep.index.inUse.shards).toBe(16);
    expect(await countOf(first.index)).toBe(50);
  });

  it.each([
    ['marks', 'retire'],
    ['marks', 'begin'],
    ['orders', 'put'],
    ['marks', 'finish'],
    ['marks', 'drop'],
  ] as const)('is completed by another node when the one that rebuilds dies at %s.%s', async (port, method) => {
    let isFaulty = false;
    let reached: (() => void) | undefined;
    const died = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const faults: IndexFaults = {};
    const dying = await node({ faults });
    const call = Reflect.get(dying.index[port], method).bind(dying.index[port]) as (
      ...args: unknown[]
    ) => Promise<never>;
    Object.assign(faults, {
      [port]: {
        [method]: async (...args: unknown[]) => {
          if (!isFaulty) return call(...args);
          reached?.();
          throw new Error('killed');
        },
      },
    });
    await dying.engine.start();
    await whole(dying, 4);
    const second = await started();
    await second.engine.timers.schedule(orders(100, HOUR_MS, await second.store.nowMs()));
    isFaulty = true;
    await second.engine.indexOperations.reshard(9);
    await died;
    await dying.engine.stop();
    await whole(second, 9);
    expect(await countOf(second.index)).toBe(100);
    await onlyTheOneInForceIsLeft(second);
  });

  it('is what a rebuild is too: with as many shards, from a process that fires nothing', async () => {
    const first = await started();
    await whole(first, 4);
    await first.engine.timers.schedule(orders(20, HOUR_MS, await first.store.nowMs()));
    const gateway = await node();
    await gateway.engine.join();
    const { number: generation } = first.index.inUse;
    await first.index.orders.put([{ timerId: '999999', owner: 'ghost', fireAtMs: 2 ** 41, revision: 1 }]);
    await gateway.engine.indexOperations.rebuild();
    await vi.waitFor(() => expect(first.index.inUse.number).toBe(generation + 1), { timeout: 5000 });
    await whole(first, 4);
    expect(await countOf(first.index)).toBe(20);
  });

  it('says what it has: owners and timers of each shard, and the age of what is not acked', async () => {
    const [first, gateway] = [await started(), await node()];
    await gateway.engine.join();
    await whole(first, 4);
    await first.engine.timers.schedule(orders(40, HOUR_MS, await first.store.nowMs()));
    const { inside } = await gateway.engine.indexOperations.state();
    expect(new Set(inside?.owners).size).toBe(1);
    expect(inside?.owners).toHaveLength(4);
    expect(inside?.counts).toEqual(await first.index.orders.counts());
    expect(inside?.oldestUnackedMs).toBe(0);
    gateway.index.stop();
    expect(await gateway.engine.indexOperations.state()).toMatchObject({
      shards: 4,
      isWhole: false,
      inside: undefined,
    });
  });

  it('heals all of it at once when it is told to', async () => {
    const first = await started();
    await whole(first, 4);
    const { timers } = first.engine;
    await timers.schedule(orders(30, HOUR_MS, await first.store.nowMs()));
    const [lost] = await timers.listByOwner('player-0');
    await first.index.orders.remove([{ timerId: lost?.id ?? '', owner: 'player-0', revision: 1 }]);
    await first.index.orders.put([{ timerId: '999999', owner: 'ghost', fireAtMs: 2 ** 41, revision: 1 }]);
    expect(await first.engine.indexOperations.reconcile()).toEqual({ missing: 1, misplaced: 0, ghosts: 1 });
    expect(await countOf(first.index)).toBe(30);
  });

  it.each([0, -1, 1.5, 1025, Number.NaN])('refuses %s shards', async (shards) => {
    const first = await node();
    await expect(first.engine.indexOperations.reshard(shards)).rejects.toThrow(
      `shards is ${shards}: give a whole number from 1 to 1024`,
    );
  });
});
