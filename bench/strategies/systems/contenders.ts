import { delayQueue } from './delay-queue.ts';
import { kibbleEngine } from './kibble-engine.ts';
import { kibbleRedis, kibbleWheel } from './kibble-index.ts';
import { ring } from './ring.ts';
import { ringInRedis } from './ring-in-redis.ts';
import { shardedZsets } from './sharded-zsets.ts';
import type { OpenStrategy } from './strategy.ts';
import { pagedScan, tableScan } from './table.ts';
import { wheels } from './wheels.ts';
import { zset } from './zset.ts';

export interface Contender {
  readonly name: string;
  readonly isOurs: boolean;
  readonly open: OpenStrategy;
  /** How long it may sleep although a timer is due. 0: it is woken, or knows the next due time. */
  readonly periodMs: number;
  /** Too slow for real time: it runs on a virtual clock, and only its turns take real time. */
  readonly isVirtual?: boolean;
  /** Idling is measured over this time: at least two periods, and a whole pass. */
  readonly idleMs: number;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/** In the order of the tables. */
export const contenders: readonly Contender[] = [
  { ...theirs('table scan, each minute', tableScan(MINUTE_MS, false), MINUTE_MS), isVirtual: true },
  theirs('table scan, each second', tableScan(SECOND_MS, false), SECOND_MS),
  { ...theirs('table scan, by pages', pagedScan, SECOND_MS), idleMs: 6_000 },
  theirs('table with an index, each second', tableScan(SECOND_MS, true), SECOND_MS),
  theirs('delay queue, each 2 s', delayQueue, 2 * SECOND_MS),
  theirs('ring in memory', ring, SECOND_MS),
  theirs('ring in Redis lists', ringInRedis, SECOND_MS),
  theirs('wheels of h, min and s', wheels, SECOND_MS),
  theirs('one ZSET, polled', zset, 100),
  theirs('16 ZSETs, polled', shardedZsets, 100),
  ours("Kibble's index in Redis", kibbleRedis),
  ours("Kibble's wheel", kibbleWheel),
  ours('Kibble: rows and Redis', kibbleEngine),
];

/** The stores' own load. */
export const NOTHING = 'stores alone';

function theirs(name: string, open: OpenStrategy, periodMs: number): Contender {
  return { name, isOurs: false, open, periodMs, idleMs: Math.max(2_000, 2 * periodMs) };
}

function ours(name: string, open: OpenStrategy): Contender {
  return { name, isOurs: true, open, periodMs: 0, idleMs: 2_000 };
}
