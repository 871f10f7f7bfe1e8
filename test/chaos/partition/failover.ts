import type { Pool } from 'pg';
import { RedisKeys } from '../../../server/adapter/redis/index/redis-keys.ts';
import type { DueIndex } from '../../../server/timer/index/due-index.ts';
import type { IndexEntry } from '../../../server/timer/model/index-entry.ts';
import type { runningEngine } from '../../support/engine/running-engine.ts';
import type { ClusterNetwork } from '../../support/redis/cluster-network.ts';
import type { RedisCluster } from '../../support/redis/redis-cluster.ts';
import { until } from '../play/within.ts';
import type { ClusterMembers } from './cluster-members.ts';
import { type Loss, lossOf } from './lost-entries.ts';
import { OrderLoad } from './order-load.ts';

export interface Scene {
  readonly cluster: RedisCluster;
  readonly network: ClusterNetwork;
  readonly members: ClusterMembers;
  /** Nodes of one database; the first one schedules. */
  readonly nodes: readonly [Node, ...Node[]];
  /** Of the index in Redis. */
  readonly prefix: string;
  readonly pool: Pool;
  /** So many timers the sweep has found until now. */
  readonly swept: () => number;
}

type Node = Awaited<ReturnType<typeof runningEngine>>;

export interface Cut {
  readonly name: string;
  /** For so many pulses the replica hears still what is written, and of nothing else. */
  readonly pulsesTold: number;
  /** Whether the old master dies before the network is whole again, with all that it had. */
  readonly isKilled: boolean;
}

export interface Failover extends Loss {
  /** False: the master refused writes and came back, and its replica stayed one. */
  readonly isElected: boolean;
  readonly orders: number;
  readonly ways: Readonly<Record<Way, number>>;
  /** Lost ones that were moved before they could come back. */
  readonly moved: number;
  /** Timers that the sweep found meanwhile, lost ones or others. */
  readonly swept: number;
  /** Of the lost ones after their due time, or after the network was whole, whichever was later. */
  readonly latestMs: number;
  /** Each a sentence. */
  readonly violations: readonly string[];
}

/** Its node-timeout is 5 s; the election takes some 2 s. */
const ELECTED_MS = 20_000;
const PULSES_MS = 10_000;
/** What was lost is fired so long after it was due, or after the network was whole, at most. */
const BOUND_MS = 10_000;
/** The last orders are due in 22 s. */
const FIRED_MS = 22_000 + BOUND_MS;

/**
 * Parts a master from all other members, not from its clients, until its replica is elected; asks both what they have; lets them
 * find each other again; and waits until all orders were fired.
 */
export const failOver = async (scene: Scene, name: string, cut: Cut): Promise<Failover> => {
  const { cluster, network, members, nodes, pool, prefix } = scene;
  const [{ engine, index }] = nodes;
  await members.calm();
  await until('the index is whole', PULSES_MS, () => nodes.every((node) => node.engine.isIndexWhole));
  const keys = new RedisKeys(prefix, index.inUse);
  const { master, replica, shards } = await busiest(members, keys);
  const load = new OrderLoad({ timers: engine.timers, name, owners: ownersOf(keys, shards) });
  await load.start();
  const sweptBefore = scene.swept();
  try {
    const isElected = await partUntilElected(scene, { master, replica, cut, mark: keys.mark(shards[0] ?? 0) });
    // The engine finds the elected one later than we do: it has healed nothing so far.
    const loss = await lossOf({ keys, shards, pool, old: members.client(master), elected: members.client(replica) });
    const orders = await load.stop();
    if (cut.isKilled) await cluster.servers[master]?.kill();
    network.heal();
    const healedAtMs = await clockOf(pool);
    if (cut.isKilled) await cluster.servers[master]?.restart();
    // The load has moved some since: these were put again, and did not have to come back.
    const lost = loss.lost.filter(({ timerId, fireAtMs }) => orders.get(timerId) === fireAtMs);
    const ways = new WaysBack(index, keys.number, lost);
    await until('all orders are fired', FIRED_MS, async () => {
      await ways.look();
      return (await pool.query('select from kibble.timer_due limit 1')).rowCount === 0;
    }).catch(() => undefined);
    return {
      ...loss,
      isElected,
      orders: orders.size,
      ways: ways.counts(),
      moved: loss.lost.length - lost.length,
      swept: scene.swept() - sweptBefore,
      ...(await judge({ pool, loss, orders, healedAtMs })),
    };
  } finally {
    network.heal();
    await load.stop();
  }
};

interface Parted {
  readonly master: number;
  readonly replica: number;
  readonly cut: Cut;
  /** Of a shard that the master has. */
  readonly mark: string;
}

/** False when no master was elected in time. Throws when the old master goes on taking writes. */
const partUntilElected = async (
  { network, members }: Scene,
  { master, replica, cut, mark }: Parted,
): Promise<boolean> => {
  const { epoch } = await members.stateOf(master);
  network.cut(master, 'bus');
  if (cut.pulsesTold > 0) await pulsesOn(members, mark, { master, count: cut.pulsesTold });
  network.cut(master, 'replication');
  await until('the old master takes no writes', ELECTED_MS, async () => !(await members.stateOf(master)).isServing);
  const isElected = until('the replica is elected', ELECTED_MS, async () => {
    const state = await members.stateOf(replica);
    return state.role === 'master' && state.epoch > epoch;
  });
  return isElected.then(
    () => true,
    () => false,
  );
};

/** The master of most shards, its replica, and these shards. */
const busiest = async (members: ClusterMembers, keys: RedisKeys) => {
  const pairs = await keys.each(async (shard) => ({ shard, ...(await members.pairOf(keys.due(shard))) }));
  const [most = []] = [...Map.groupBy(pairs, ({ master }) => master).values()].toSorted((a, b) => b.length - a.length);
  const [{ master, replica } = { master: -1, replica: -1 }] = most;
  return { master, replica, shards: most.map(({ shard }) => shard) };
};

const ownersOf = (keys: RedisKeys, shards: readonly number[]): [string, ...string[]] => {
  const all = Array.from({ length: 500 }, (_, at) => `player-${at}`);
  const [first, ...others] = all.filter((owner) => shards.includes(keys.shardOf(owner)));
  if (first === undefined) throw new Error('nobody has a shard there');
  return [first, ...others];
};

/** Until a shard was counted on so often. */
const pulsesOn = async (
  members: ClusterMembers,
  mark: string,
  { master, count }: { master: number; count: number },
): Promise<void> => {
  const pulse = async () => Number(await members.client(master).get(mark));
  const first = await pulse();
  await until(`${count} pulses`, PULSES_MS, async () => (await pulse()) >= first + count);
};

const clockOf = async (pool: Pool): Promise<number> =>
  Number((await pool.query('select extract(epoch from clock_timestamp()) * 1000 as ms')).rows[0].ms);

interface Judged {
  readonly pool: Pool;
  readonly loss: Loss;
  /** When each is due, by id of timer. */
  readonly orders: ReadonlyMap<string, number>;
  readonly healedAtMs: number;
}

/** Each order was fired once and not early; what was lost, in time. By Postgres' own clock. */
const judge = async ({ pool, loss, orders, healedAtMs }: Judged) => {
  const { rows } = await pool.query('select timer, at from effect where timer = any($1)', [[...orders.keys()]]);
  const effects = Map.groupBy(rows, ({ timer }) => String(timer));
  const firedAtMs = (timerId: string): number => effects.get(timerId)?.[0].at ?? Number.POSITIVE_INFINITY;
  const latenessOf = (timerId: string, dueAtMs: number): number => firedAtMs(timerId) - Math.max(dueAtMs, healedAtMs);
  const violations = [...orders].flatMap(([timerId, dueAtMs]) => {
    const fires = effects.get(timerId)?.length ?? 0;
    if (fires !== 1) return [`order ${timerId} was fired ${fires} times`];
    const earlyMs = dueAtMs - firedAtMs(timerId);
    if (earlyMs > 0) return [`order ${timerId} was fired ${earlyMs} ms early`];
    const lateMs = latenessOf(timerId, dueAtMs);
    return lateMs > BOUND_MS ? [`order ${timerId} was fired ${Math.round(lateMs)} ms late`] : [];
  });
  const lost = loss.lost.map(({ timerId }) => latenessOf(timerId, orders.get(timerId) ?? 0));
  return { latestMs: Math.max(0, ...lost), violations };
};

/**
 * `reconciled`: in the index again, in the same generation. `rebuilt`: in a later one. `unseen`: fired before a look found
 * it there, by the sweep or in between two looks.
 */
type Way = 'reconciled' | 'rebuilt' | 'unseen';

/** Watches by which way lost entries come back. */
class WaysBack {
  readonly #index: Pick<DueIndex, 'inUse' | 'orders'>;
  readonly #generation: number;
  readonly #missing: Map<string, IndexEntry>;
  readonly #back: Record<Way, number> = { reconciled: 0, rebuilt: 0, unseen: 0 };

  constructor(index: Pick<DueIndex, 'inUse' | 'orders'>, generation: number, lost: readonly IndexEntry[]) {
    this.#index = index;
    this.#generation = generation;
    this.#missing = new Map(lost.map((entry) => [entry.timerId, entry]));
  }

  /** To be called again and again while they come back. Finds nothing while the index is away. */
  async look(): Promise<void> {
    if (this.#missing.size === 0) return;
    const entries = [...this.#missing.values()];
    const { number } = this.#index.inUse;
    const times = await this.#index.orders.fireTimes(entries).catch(() => new Map<string, number>());
    for (const { timerId, fireAtMs } of entries) {
      if (times.get(timerId) !== fireAtMs) continue;
      this.#missing.delete(timerId);
      this.#back[number > this.#generation ? 'rebuilt' : 'reconciled'] += 1;
    }
  }

  /** To be called when all were fired. */
  counts(): Readonly<Record<Way, number>> {
    return { ...this.#back, unseen: this.#missing.size };
  }
}
