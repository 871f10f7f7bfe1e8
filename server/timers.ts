import type { Registry } from '@prometheus-io/client';
import type { Pool } from 'pg';
import { readOptions } from '../shared/options/read-options.ts';
import { fields } from '../shared/options/shapes.ts';
import type { EngineLog } from './runtime/engine-log.ts';
import { ManualClock } from './runtime/manual-clock.ts';
import type { ClockCare } from './timer/clock/clock-watch.ts';
import { NotRetryable } from './timer/fire/not-retryable.ts';
import { CallAborted } from './timer/fire/running-call.ts';
import type { TimerKind } from './timer/model/timer-kind.ts';
import type { TimerService } from './timer/timer-service.ts';
import { silent } from './wiring/console-log.ts';
import { clockOnceBooted, onceBooted, type Trouble } from './wiring/health.ts';
import { othersFire, timersShape } from './wiring/host-options.ts';
import { Lifecycle } from './wiring/lifecycle.ts';
import { wireTimers } from './wiring/wire-timers.ts';

export interface TimersOptions {
  /** The game's own pool. The tables are in a schema of their own; the pool is never ended here. */
  readonly pool: Pool;
  /** Default `kibble`. The tables are those of `createKibble`, so a game may switch to it later. */
  readonly schema?: string;
  /** URL of a Redis 7 or newer; several URLs with commas are a Cluster or Sentinels. Without a URL: the timing wheel, for one process. */
  readonly redis?: string;
  readonly redisPrefix?: string;
  /** False for a process that only writes timers while others fire them, which needs Redis. Default true. */
  readonly fires?: boolean;
  /** Shards of a new index in Redis; later the index's own count is in force. Default 16. */
  readonly shards?: number;
  /** The kinds of timers. */
  readonly kinds: readonly TimerKind[];
  /** How long finished timers are retained. Default 30 days. */
  readonly retentionMs?: number;
  /** How long dead timers are retained. Default 90 days. */
  readonly deadRetentionMs?: number;
  /** At shutdown: how long calls may go on before they are aborted; they are made again later. Default 20 s. */
  readonly drainMs?: number;
  /** For a game's own tests: time stands still until the test moves it, and timers fire only in `runDue()`. */
  readonly clock?: ManualClock;
  /** A pino logger or a similar one; `silent` for no log. Default: warnings and errors on the console. */
  readonly log?: EngineLog;
  /** The registry of `@prometheus-io/client` for the metrics. Default: these timers' own, `metrics`. */
  readonly metrics?: Registry;
}

export interface Timers {
  readonly timers: TimerService;
  /** Boot before you schedule timers; shut down to finish timers that fire. */
  readonly lifecycle: { boot(): Promise<void>; shutdown(): Promise<void> };
  readonly health: {
    /** Undefined before the end of `boot` and after the begin of `shutdown`; else the degraded parts. */
    degraded(): readonly Trouble[] | undefined;
  };
  /** For operators: whether the database's clock is trusted, and the call that declares it right. */
  readonly clock: ClockCare;
  /** For a scrape: `await metrics.metrics()`. No label names an owner or a timer. */
  readonly metrics: Registry;
  /** The database's time in whole epoch milliseconds, with which due times are compared. */
  now(): Promise<number>;
  /**
   * For tests with a `clock`, after `boot`: fires all due timers, also those that become due by it. Throws
   * `TimerRefused` (`due/endless`) if a handler schedules its timer for now again and again.
   */
  runDue(): Promise<void>;
}

export type { CronTimes } from '../shared/calendar/cron-times.ts';
export type { Sql } from '../shared/host-rows.ts';
export { type OptionFault, type OptionFaultCode, OptionsRefused } from '../shared/options/options-refused.ts';
export {
  type DrizzleSql,
  type DrizzleTransaction,
  fromDrizzle,
  fromPrisma,
  type PrismaTransaction,
} from './adapter/postgres/orm-transactions.ts';
export type { Clock } from './runtime/clock.ts';
export type { EngineLog } from './runtime/engine-log.ts';
export type { ClockState } from './timer/clock/clock-guard.ts';
export type { ClockCare } from './timer/clock/clock-watch.ts';
export { type Again, again } from './timer/fire/again.ts';
export type { DueTime, Timer, TimerState } from './timer/model/timer.ts';
export type {
  ChangeOutcome,
  NewTimer,
  Reused,
  ScheduleOutcome,
  TimerFields,
  TimerTarget,
} from './timer/model/timer-changes.ts';
export { Locked, TimerRefused } from './timer/model/timer-errors.ts';
export type {
  CalledTimer,
  CallKind,
  FiredTimer,
  FireKind,
  HandlerTx,
  TimerKind,
} from './timer/model/timer-kind.ts';
export type { Tx } from './timer/model/timer-store.ts';
export type {
  KindChanges,
  OfKinds,
  OnceOnly,
  ScheduleAnswer,
  TimerEndings,
  TimerMoves,
  TimerRequest,
  TimerSchedules,
  TimerWriter,
  Undated,
} from './timer/model/timer-writes.ts';
export type { Lateness, MisfirePolicy } from './timer/recurrence/misfire.ts';
export { nextTimes } from './timer/recurrence/next-times.ts';
export type {
  Cron,
  Ending,
  Every,
  EveryDays,
  EveryMs,
  Recurrence,
  Recurring,
  TimerTurn,
} from './timer/recurrence/recurrence.ts';
export type { TimerService } from './timer/timer-service.ts';
export type { OwnTransaction, TimerTransaction } from './timer/write/timer-transaction.ts';
export type { Trouble } from './wiring/health.ts';
export { BootRefused } from './wiring/health.ts';
export { CallAborted, ManualClock, NotRetryable, silent };

/**
 * Durable timers for a game's own server, without homes and without Colyseus. Opens nothing before `lifecycle.boot()`.
 * Throws `OptionsRefused` with all faults of the options.
 */
export const createTimers = (given: TimersOptions): Timers => {
  const options = readOptions(timersOptions, given, 'createTimers');
  const { kinds, retentionMs, fires = true } = options;
  const wired = wireTimers(options, { kindNames: kinds.map(({ kind }) => kind), fires, retentionMs });
  const { due, engine, health, clockWatch, registry, store } = wired;
  for (const kind of kinds) engine.register(kind);
  return {
    timers: onceBooted(engine.timers, health, 'within'),
    lifecycle: new Lifecycle(wired, {
      heldConnections: fires && !due.isAlone ? 1 : 0,
      watchesClock: options.clock === undefined,
    }),
    health: { degraded: () => health.degraded() },
    clock: clockOnceBooted(clockWatch, health.boot),
    metrics: registry,
    ...onceBooted({ now: () => store.nowMs(), runDue: async () => void (await engine.runDue()) }, health.boot),
  };
};

const timersOptions = fields<TimersOptions>(timersShape, othersFire);
