import type { Home } from '../../../shared/home.ts';
import type { OpsFailedGroup, OpsHit } from '../../../shared/ops/ops-answers.ts';
import type { Timer, TimerState } from '../../timer/model/timer.ts';
import type { Tx } from '../../timer/model/timer-store.ts';
import type { LoggedEvent, WholeLog } from './spans-of.ts';

export interface HomeSeen {
  readonly home: Home;
  readonly epoch: string;
  readonly nowMs: number;
}

/** What to list. `fromMs` to `toMs`, exclusive: when scheduled timers fire, or when the others ended. */
export interface TimerFilter {
  readonly state: TimerState;
  readonly kind?: string | undefined;
  readonly owner?: string | undefined;
  readonly error?: string | undefined;
  readonly hasFailed?: boolean | undefined;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

/** The last one of the page before: scheduled timers come by `atMs` upwards, the others downwards. Of a thing's timer it is the due time. */
export interface TimerCursor {
  readonly atMs: number;
  readonly timerId: string;
}

export interface TimerPage {
  readonly after: TimerCursor | undefined;
  readonly limit: number;
  /** How many fit the filter, about: few are found and then sorted, many are met on the way. */
  readonly outOf: number;
}

export interface TimerCounts {
  readonly nowMs: number;
  readonly pending: number;
  readonly overdue: number;
  readonly oldestFireAtMs: number | undefined;
  readonly dead: number;
  readonly stuck: number;
  readonly players: number;
}

export interface DeadTimers {
  readonly kind: string;
  /** Undefined: any. */
  readonly error: string | undefined;
  readonly limit: number;
}

/**
 * What operators see. Reads change nothing and never settle. Each result is of one moment. Errors come as the driver
 * throws them.
 */
export interface OpsReads extends PlayerRows, PlayerSearch, TimerLists, TimerLocks {}

export interface PlayerRows {
  home(playerId: string): Promise<HomeSeen | undefined>;
  /** Newest first, of those with `seq < beforeSeq`. */
  logPage(playerId: string, beforeSeq: number | undefined, limit: number): Promise<readonly LoggedEvent[]>;
  /** Who gave these commands, of those that operators gave. */
  actors(playerId: string, commandIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  wholeLog(playerId: string): Promise<WholeLog>;
  /** Everything that is kept about the player, by table. Undefined when nothing is. */
  everything(playerId: string): Promise<Readonly<Record<string, unknown>> | undefined>;
}

export interface PlayerSearch {
  playersByPrefix(prefix: string, limit: number): Promise<readonly OpsHit[]>;
  thingsByTitle(prefix: string, limit: number): Promise<readonly OpsHit[]>;
  /** The player's things with this id, of whatever module. */
  things(playerId: string, thingId: string): Promise<readonly OpsHit[]>;
}

export interface TimerLists {
  nowMs(): Promise<number>;
  listTimers(filter: TimerFilter, page: TimerPage): Promise<readonly Timer[]>;
  countTimers(filter: TimerFilter): Promise<number>;
  /** By the bounds of the buckets, ascending: how many scheduled timers lie in each, before the first, after the last. */
  histogram(bounds: readonly number[]): Promise<readonly number[]>;
  failedGroups(limit: number): Promise<readonly OpsFailedGroup[]>;
  counts(): Promise<TimerCounts>;
}

export interface TimerLocks {
  /** The row, locked; that of a thing as it is. */
  lockTimer(tx: Tx, timerId: string): Promise<Timer | undefined>;
  /** Dead timers of a kind, latest first, locked in the order of their ids. */
  lockDead(tx: Tx, dead: DeadTimers): Promise<readonly Timer[]>;
}
