import type { Redis } from 'ioredis';
import type { Pool } from 'pg';
import { scoreOf } from '../../../server/adapter/redis/index/fence-score.ts';
import type { RedisKeys } from '../../../server/adapter/redis/index/redis-keys.ts';
import type { IndexEntry } from '../../../server/timer/model/index-entry.ts';

interface Asked {
  /** Of the generation that both knew. */
  readonly keys: RedisKeys;
  readonly shards: readonly number[];
  /** Which has what was acknowledged last. */
  readonly old: Redis;
  /** Which was elected without it. */
  readonly elected: Redis;
  readonly pool: Pool;
}

/** What a failover lost. */
export interface Loss {
  /** Entries that the old master acknowledged. */
  readonly acknowledged: number;
  /** Those that the elected one has not, or has as they were before, and whose rows are still as the old one has them. */
  readonly lost: readonly IndexEntry[];
  /** Of these: absent. The others are older. */
  readonly absent: number;
  /** So many pulses the elected one is behind, at most. */
  readonly pulsesBehind: number;
}

/** Asks both masters for all that they have, then Postgres; to be called while they are parted. */
export const lossOf = async ({ keys, shards, old, elected, pool }: Asked): Promise<Loss> => {
  const pulsesOf = (client: Redis) =>
    Promise.all(shards.map(async (shard) => Number(await client.get(keys.mark(shard)))));
  const [before, after] = [await scoresOf(old, keys, shards), await scoresOf(elected, keys, shards)];
  const [pulses, electedPulses] = [await pulsesOf(old), await pulsesOf(elected)];
  const { rows } = await pool.query('select id, owner, fire_at, revision from kibble.timer_due');
  const lost = rows.flatMap(({ id: timerId, owner, fire_at, revision }): readonly IndexEntry[] => {
    const entry = { timerId, owner, fireAtMs: Number(fire_at), revision: Number(revision) };
    const [score, member] = [Number(scoreOf(entry)), `${timerId}:${owner}`];
    return before.get(member) === score && after.get(member) !== score ? [entry] : [];
  });
  return {
    acknowledged: before.size,
    lost,
    absent: lost.filter(({ timerId, owner }) => !after.has(`${timerId}:${owner}`)).length,
    pulsesBehind: Math.max(...pulses.map((pulse, at) => pulse - (electedPulses[at] ?? 0))),
  };
};

const scoresOf = async (
  client: Redis,
  keys: RedisKeys,
  shards: readonly number[],
): Promise<ReadonlyMap<string, number>> => {
  const orders = await Promise.all(shards.map((shard) => client.zrange(keys.due(shard), 0, -1, 'WITHSCORES')));
  return new Map(
    orders.flatMap((order) =>
      order.flatMap((member, at): [string, number][] => (at % 2 === 0 ? [[member, Number(order[at + 1])]] : [])),
    ),
  );
};
