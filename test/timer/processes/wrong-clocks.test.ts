import { setTimeout as pass } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { describe, expect, inject, it } from 'vitest';
import type { Generation } from '../../../server/timer/index/generation.ts';
import { randomOf } from '../../chaos/play/random.ts';
import { HANG_MS, tries } from '../../proof/table/tries.ts';
import { startRedisIndex } from '../../support/engine/due-index.ts';
import { fakeTimeLibrary } from '../../support/postgres/fake-time.ts';
import { prove } from '../../support/properties/prove.ts';
import { type RedisServer, startRedis } from '../../support/redis/redis-server.ts';
import { type FiringProcesses, firingProcesses } from './firing-processes.ts';

const TIMERS = tries({ test: 2_000, proof: 52_000 });
const SPAN_MS = tries({ test: 1_500, proof: 45_000 });
const LEAD_MS = tries({ test: 1_500, proof: 5_000 });
/** Timers of a turn that the index is told too early, and others that are moved at the last moment. */
const AT_ONCE = tries({ test: 10, proof: 40 });
const HOUR_MS = 3_600_000;
const TURN_MS = 20;
const HINTED_AHEAD_MS = 1_500;
const MOVED_BY_MS = 1_500;
const SEED = 6;

const library = fakeTimeLibrary();
const environmentOf = (clock: string): Readonly<Record<string, string>> => ({
  LD_PRELOAD: library ?? '',
  FAKETIME: clock,
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
});

interface Row {
  readonly id: string;
  readonly owner: string;
  readonly revision: number;
}

/** Under what the processes keep their index: the game's prefix, and which deployment it is. */
const prefixIn = async ({ url }: RedisServer): Promise<string> => {
  const client = new Redis(url);
  const [key = ''] = await client.keys('{*}mark');
  client.disconnect();
  return /^\{(.+):\d+:\d+\}/.exec(key)?.[1] ?? '';
};

/** Tells the index of timers long before they are due, and moves others just as they are handed off, until all are over. */
const mislead = async ({ pool, timers, nowMs }: FiringProcesses, redis: RedisServer, endMs: number) => {
  const hinting = await startRedisIndex({ url: redis.url, prefix: await prefixIn(redis), isBegun: false });
  /** The first one ends when the processes have begun the next. */
  const followGeneration = async (): Promise<void> => {
    const { rows } = await pool.query<Generation>('select generation as number, shards from kibble.timer_index');
    for (const generation of rows) hinting.index.inUse.use(generation);
  };
  const random = randomOf(SEED);
  const dueWithin = async (fromMs: number, toMs: number): Promise<readonly Row[]> => {
    const found = await pool.query<Row>(
      `select t.id, t.owner, d.revision from kibble.timer_due d join kibble.timer t using (id)
       where d.fire_at between $1 and $2 and d.revision = 1 limit 1000`,
      [fromMs, toMs],
    );
    return found.rows.filter(() => random.percent(20)).slice(0, AT_ONCE);
  };
  let [hinted, moved] = [0, 0];
  for (let now = await nowMs(); now < endMs; now = await nowMs()) {
    await followGeneration();
    const early = await dueWithin(now + HINTED_AHEAD_MS, now + 2 * HINTED_AHEAD_MS);
    const hints = early.map(({ id, owner, revision }) => ({ timerId: id, owner, revision, fireAtMs: now - 1 }));
    // Of a busy machine's Redis an answer may come too late: that hint does not count.
    const isHinted = await hinting.index.orders.put(hints).catch(() => false);
    if (isHinted) hinted += early.length;
    const inFlight = await dueWithin(now - 5, now + 5);
    const moves = await timers.shift(inFlight.map(({ id }) => ({ timerId: id, byMs: MOVED_BY_MS })));
    moved += moves.filter(({ outcome }) => outcome === 'applied').length;
    await pass(TURN_MS);
  }
  await hinting.dispose();
  return { hinted, moved };
};

describe.skipIf(inject('redisUrl') === '' || library === undefined)(
  'by the clock of Postgres nothing fires early',
  () => {
    it.for([1, 4].slice(tries({ test: 1, proof: 0 })))(
      'though clocks of processes are wrong by %i h and one runs 60 times as fast, with early hints and late moves',
      { timeout: HANG_MS },
      async (hours, context) => {
        const redis = await startRedis();
        const clocks = [`+${hours}h`, `-${hours}h`, '+0 x60'];
        const processes = await firingProcesses({ redis: redis.url, environments: clocks.map(environmentOf) });
        const { nodes, schedule, fired, judge, nowMs, stop } = processes;
        const [ahead = 0, behind = 0, fast = 0] = nodes.map(({ aheadMs }) => aheadMs);
        expect(Math.abs(ahead - hours * HOUR_MS)).toBeLessThan(10_000);
        expect(Math.abs(behind + hours * HOUR_MS)).toBeLessThan(10_000);
        expect(fast).toBeGreaterThan(10_000);
        const startMs = (await nowMs()) + LEAD_MS;
        await schedule(TIMERS, (at) => startMs + (at * SPAN_MS) / TIMERS);
        const { hinted, moved } = await mislead(processes, redis, startMs + SPAN_MS);
        await fired(TIMERS, SPAN_MS + 60_000);

        const { mostLateMs, ...judged } = await judge();
        expect(judged).toEqual({ effects: TIMERS, timers: TIMERS, unfired: 0, early: 0 });
        expect(hinted).toBeGreaterThan(tries({ test: 10, proof: 1_000 }));
        expect(moved).toBeGreaterThan(tries({ test: 2, proof: 100 }));
        await stop();
        await redis.stop();
        const seen = `${hours} h: ${hinted} early hints, ${moved} moved in flight, max ${mostLateMs} ms late`;
        prove(
          context,
          { row: 6, tries: TIMERS, of: 'fires beside wrong clocks', seen },
          { row: 6, tries: 2, of: `clocks of processes wrong by ${hours} h, either way` },
          { row: 6, tries: 1, of: 'clocks of processes 60 times as fast' },
          { row: 6, tries: hinted, of: 'early hints' },
          { row: 6, tries: moved, of: 'timers moved later while in flight' },
        );
      },
    );
  },
);
