import type { Pool } from 'pg';
import { systemClock } from './adapter/machine/system-clock.ts';
import { MemoryDueIndex } from './adapter/memory/memory-due-index.ts';
import { AdvisoryLock } from './adapter/postgres/advisory-lock.ts';
import { surviveLostConnections } from './adapter/postgres/lost-connections.ts';
import { PostgresClockRecord } from './adapter/postgres/timer/clock-record.ts';
import { PostgresTimerStore } from './adapter/postgres/timer/timer-store.ts';
import type { EngineLog } from './runtime/engine-log.ts';
import type { Exclusive } from './runtime/exclusive.ts';
import { Loop } from './runtime/loop.ts';
import { ManualClock } from './runtime/manual-clock.ts';
import { limits } from './settings/config.ts';
import { ClockGuard } from './timer/clock/clock-guard.ts';
import { type ClockCare, ClockWatch } from './timer/clock/clock-watch.ts';
import { NotRetryable } from './timer/fire/attempt/not-retryable.ts';
import { CallAborted } from './timer/fire/handle/call-aborted.ts';
import type { TimerKind } from './timer/model/timer-kind.ts';
import { TimerEngine } from './timer/timer-engine.ts';
import type { TimerService } from './timer/timer-service.ts';
import { Boot, onceBooted } from './wiring/boot.ts';
import { consoleLog, silent } from './wiring/console-log.ts';
import { fireConnectionsOf } from './wiring/fire-connections.ts';
import { indexOf } from './wiring/index-of.ts';
import { prepareDatabase } from './wiring/prepare-database.ts';
import { type Trouble, troublesOf } from './wiring/troubles.ts';

export interface TimersOptions {
  /** The game's own pool. The tables lie in a schema of their own; the pool is never ended here. */
  readonly pool: Pool;
  /** Default `kibble`. The tables are those of `createKibble`, so a game may change over to it later. */
  readonly schema?: string;
  /** URL of a Redis 7 or newer, or several of a Cluster with commas. Without one: the timing wheel, for one process. */
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
  /** At shutdown: how long calls may go on before they are aborted; they are made again later. Default 20 s. */
  readonly drainMs?: number;
  /** For a game's own tests: time stands still until it is moved, and nothing fires but in `runDue()`. */
  readonly clock?: ManualClock;
  /** A pino logger, or anything like it; `silent` for nothing at all. Default: warnings and errors on the console. */
  readonly log?: EngineLog;
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
  /** The database's time, in whole epoch milliseconds: what due times are compared with. */
  now(): Promise<number>;
  /** For tests with a `clock`, after `boot`: fires all that is due by it, also what comes due by that. */
  runDue(): Promise<void>;
}

export type { Clock } from './runtime/clock.ts';
export type { EngineLog } from './runtime/engine-log.ts';
export type { ClockState } from './timer/clock/clock-guard.ts';
export type { ClockCare } from './timer/clock/clock-watch.ts';
export { type Again, again } from './timer/fire/handle/again.ts';
export type { HandlerTx } from './timer/model/handler-tx.ts';
export { Locked } from './timer/model/locked.ts';
export type { Timer, TimerState } from './timer/model/timer.ts';
export type { CalledTimer, CallKind, DerivedKind, FireKind, TimerKind, Unsettled } from './timer/model/timer-kind.ts';
export type { ChangeOutcome, NewTimer, ScheduleOutcome, TimerTarget, Tx } from './timer/model/timer-store.ts';
export type { ScheduleAnswer, TimerWriter } from './timer/model/timer-writes.ts';
export type { TimerService } from './timer/timer-service.ts';
export type { OwnTransaction, TimerTransaction } from './timer/write/timer-transaction.ts';
export { BootRefused } from './wiring/boot.ts';
export type { Trouble } from './wiring/troubles.ts';
export { CallAborted, ManualClock, NotRetryable, silent };

/**
 * Durable timers for a game's own server, without pets and without Colyseus. Nothing is opened before
 * `lifecycle.boot()`. Throws `TypeError` for a schema that is no plain name.
 */
export const createTimers = (options: TimersOptions): Timers => {
  const { pool, schema = 'kibble', log = consoleLog(), clock = systemClock, retentionMs = 30 * DAY_MS } = options;
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) throw new TypeError('schema must be a plain lower-case name');
  surviveLostConnections(pool, log);
  const time = new ClockGuard(clock);
  const store = new PostgresTimerStore({ pool, schema, time, ...(options.clock && { nowMs: options.clock.nowMs }) });
  const { index, nodes, generations, witnesses } = indexOf({ ...options, schema, log }, clock);
  const exclusive = new AdvisoryLock({ pool, name: `${schema}.sweep`, clock: systemClock });
  const engine = new TimerEngine({
    store,
    index,
    nodes,
    generations,
    clock,
    log,
    exclusive,
    retentionMs,
    batchLimit: limits.timers.batch,
    fireConnections: fireConnectionsOf(pool),
    ...(options.drainMs !== undefined && { drainMs: options.drainMs }),
  });
  for (const kind of options.kinds) engine.register(kind);
  const clockWatch = new ClockWatch({
    guard: time,
    clock,
    log,
    witnesses,
    record: new PostgresClockRecord({ pool, schema }),
  });
  const watchClock = new Loop({ name: 'watch the clock', clock, log, tick: clockWatch.tick });
  const fires = options.fires !== false && options.clock === undefined;
  const boot = new Boot();
  let alone: Exclusive | undefined;
  let isReady = false;
  return {
    timers: onceBooted(engine.timers, boot),
    lifecycle: {
      boot: async () => {
        boot.begin();
        try {
          alone = await prepareDatabase({ pool, schema, log, index, held: options.fires === false ? 0 : 1 });
        } catch (error) {
          boot.fail();
          throw error;
        }
        boot.ground();
        if (!options.clock) {
          await clockWatch.begin();
          watchClock.start();
        }
        await engine.join();
        if (fires) await engine.start();
        isReady = true;
      },
      shutdown: async () => {
        isReady = false;
        boot.end();
        await engine.stop();
        await watchClock.stop();
        if (!(index instanceof MemoryDueIndex)) index.stop();
        await alone?.release();
      },
    },
    health: {
      degraded: () => {
        if (!isReady) return undefined;
        return troublesOf({
          hasRedis: !(index instanceof MemoryDueIndex),
          isIndexWhole: fires ? engine.isIndexWhole : index.isAvailable,
          index,
          isClockHeld: time.state.isHeld,
        });
      },
    },
    clock: clockWatch,
    now: () => store.nowMs(),
    runDue: async () => void (await engine.runDue()),
  };
};

const DAY_MS = 86_400_000;
