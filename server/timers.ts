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
import { onceBooted, type Trouble } from './wiring/health.ts';
import { timersShape } from './wiring/host-options.ts';
import { Lifecycle } from './wiring/lifecycle.ts';
import { wireTimers } from './wiring/wire-timers.ts';

export interface TimersOptions {
  /** The game's own pool. The tables lie in a schema of their own; the pool is never ended here. */
  readonly pool: Pool;
  /** Default `kibble`. The tables are those of `createKibble`, so a game may change over to it later. */
  readonly schema?: string;
  /** URL of a Redis 7 or newer; several URLs with commas are a Cluster or Sentinels. Without a URL: the timing wheel, for one process. */
  readonly redis?: string;
  readonly redisPrefix?: string;
  /** False for a process that only writes timers and leaves firing to others, which needs Redis. Default true. */
  readonly fires?: boolean;
  /** Of the index in Redis, when there is none yet; later its own count is in force. Default 16. */
  readonly shards?: number;
  /** What fires. */
  readonly kinds: readonly TimerKind[];
  /** How long finished timers are kept. Default 30 days. */
  readonly retentionMs?: number;
  /** How long dead timers are kept. Default 90 days. */
  readonly deadRetentionMs?: number;
  /** At shutdown: how long calls may go on before they are aborted; they are made again later. Default 20 s. */
  readonly drainMs?: number;
  /** For a game's own tests: time stands still until it is moved, and nothing fires but in `runDue()`. */
  readonly clock?: ManualClock;
  /** A pino logger, or anything like it; `silent` for nothing at all. Default: warnings and errors on the console. */
  readonly log?: EngineLog;
  /** Where the metrics go, of `@prometheus-io/client`. Default: a registry of these timers' own, `metrics`. */
  readonly metrics?: Registry;
}

export interface Timers {
  readonly timers: TimerService;
  /** Boot before anything is scheduled; shut down to finish what is being fired. */
  readonly lifecycle: { boot(): Promise<void>; shutdown(): Promise<void> };
  readonly health: {
    /** Undefined before `boot` has ended and after `shutdown` began; else what works worse than it should. */
    degraded(): readonly Trouble[] | undefined;
  };
  /** For operators: whether the database's clock is trusted, and the word that it is right. */
  readonly clock: ClockCare;
  /** What a scrape reads: `await metrics.metrics()`. Of its labels none names an owner or a timer. */
  readonly metrics: Registry;
  /** The database's time, in whole epoch milliseconds: what due times are compared with. */
  now(): Promise<number>;
  /**
   * For tests with a `clock`, after `boot`: fires all that is due by it, also what comes due by that. Throws `TimerRefused`
   * (`due/endless`) when a handler schedules its timer for now again and again.
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
 * Durable timers for a game's own server, without homes and without Colyseus. Nothing is opened before
 * `lifecycle.boot()`. Throws `OptionsRefused` with all that is wrong with the options.
 */
export const createTimers = (options: TimersOptions): Timers => {
  readOptions(timersOptions, options, 'createTimers');
  const { kinds, retentionMs, fires = true } = options;
  const wired = wireTimers(options, { kindNames: kinds.map(({ kind }) => kind), fires, retentionMs });
  const { due, engine, health, clockWatch, registry, store } = wired;
  for (const kind of kinds) engine.register(kind);
  return {
    timers: onceBooted(engine.timers, health),
    lifecycle: new Lifecycle(wired, {
      heldConnections: fires && !due.isAlone ? 1 : 0,
      watchesClock: options.clock === undefined,
    }),
    health: { degraded: () => health.degraded() },
    clock: clockWatch,
    metrics: registry,
    now: () => store.nowMs(),
    runDue: async () => void (await engine.runDue()),
  };
};

const timersOptions = fields<TimersOptions>(timersShape);
