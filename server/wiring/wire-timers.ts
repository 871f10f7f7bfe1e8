import { Registry } from '@prometheus-io/client';
import type { Pool } from 'pg';
import { systemClock } from '../adapter/machine/system-clock.ts';
import { Database } from '../adapter/postgres/database.ts';
import { surviveLostConnections } from '../adapter/postgres/pool.ts';
import { DatabaseWatch } from '../adapter/postgres/schema/database-watch.ts';
import { PostgresClockRecord } from '../adapter/postgres/timer/clock-record.ts';
import { PostgresTimerCounts } from '../adapter/postgres/timer/timer-counts.ts';
import { PostgresTimerStore } from '../adapter/postgres/timer/timer-store.ts';
import type { Clock } from '../runtime/clock.ts';
import type { EngineLog } from '../runtime/engine-log.ts';
import type { ManualClock } from '../runtime/manual-clock.ts';
import { limits } from '../settings/config.ts';
import { engineMetrics } from '../telemetry/engine-metrics.ts';
import type { Listeners } from '../telemetry/metric-table.ts';
import { storeReads } from '../telemetry/store-reads.ts';
import { timerGauges } from '../telemetry/timer-gauges.ts';
import { ClockGuard } from '../timer/clock/clock-guard.ts';
import { ClockWatch } from '../timer/clock/clock-watch.ts';
import { TimerEngine } from '../timer/timer-engine.ts';
import { consoleLog, guardedLog } from './console-log.ts';
import { Health } from './health.ts';
import { indexOf } from './index-of.ts';
import { RightToRun } from './right-to-run.ts';

/** The common options of `createTimers` and `createKibble`. */
interface Options {
  readonly pool: Pool;
  readonly schema?: string;
  readonly redis?: string;
  readonly redisPrefix?: string;
  readonly shards?: number;
  readonly drainMs?: number;
  readonly deadRetentionMs?: number;
  readonly clock?: ManualClock;
  readonly log?: EngineLog;
  readonly metrics?: Registry;
}

interface Work {
  /** Names of all kinds that this process fires. The kinds themselves are registered before the boot. */
  readonly kindNames: readonly string[];
  /** False: other processes fire, and measure the rows. */
  readonly fires: boolean;
  readonly retentionMs: number | undefined;
  readonly listeners?: Listeners;
}

/** The base of all stores and loops of a process: the game's options with our defaults. */
interface Host {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: EngineLog;
  readonly time: ClockGuard;
}

export type WiredTimers = ReturnType<typeof wireTimers>;

const DAY_MS = 86_400_000;

/**
 * The timers of one process, and the pool, clock, index and metrics that other parts may share. Opens nothing:
 * `Lifecycle` does.
 */
export const wireTimers = (options: Options, { kindNames, fires, retentionMs = 30 * DAY_MS, listeners }: Work) => {
  const host = hostOf(options);
  const { database, clock, log, time } = host;
  const { pool, schema } = database;
  const databaseWatch = new DatabaseWatch({ database, clock: systemClock, log });
  const registry = options.metrics ?? new Registry();
  const store = new PostgresTimerStore(database);
  const due = indexOf({ ...options, database, log }, clock);
  const { index, nodes, generations, witnesses, isAlone } = due;
  const right = new RightToRun({ pool, schema, log, clock: systemClock, isShared: !isAlone });
  const engine = new TimerEngine({
    store,
    index,
    generations,
    nodes: right.nodes(nodes),
    clock,
    log,
    exclusive: right.exclusive('sweep'),
    retentionMs,
    deadRetentionMs: options.deadRetentionMs,
    batchLimit: limits.timers.batch,
    fireConnections: fireConnectionsOf(pool),
    ...(options.drainMs !== undefined && { drainMs: options.drainMs }),
    observe: engineMetrics(registry, kindNames, listeners),
  });
  const record = new PostgresClockRecord(database);
  const clockWatch = new ClockWatch({ guard: time, clock, log, witnesses, record });
  const health = new Health({ engine, right, due, time, databaseWatch, fires: fires && options.clock === undefined });
  // A process that does not fire would only read the rows once more.
  const reads = fires ? storeReads(registry, systemClock) : undefined;
  const counts = new PostgresTimerCounts(database);
  const indexKind = isAlone ? 'wheel' : 'redis';
  const gauged = { pool, engine, index, indexKind, health, time, counts, reads, kinds: kindNames } as const;
  const eventLoop = timerGauges(registry, gauged);
  return { host, databaseWatch, store, due, right, engine, clockWatch, health, registry, reads, eventLoop };
};

const hostOf = ({ pool, schema = 'kibble', clock: manual, ...options }: Options): Host => {
  const log = guardedLog(options.log ?? consoleLog());
  surviveLostConnections(pool, log);
  const clock = manual ?? systemClock;
  const time = new ClockGuard(clock);
  const database = new Database({ pool, schema, time, ...(manual && { nowMs: manual.nowMs }) });
  return { database, clock, log, time };
};

/** The pool's share for kinds with a `fire`: however long their handlers take, commands and homes have the rest. */
const fireConnectionsOf = ({ options }: Pool): number => Math.max(1, Math.floor((options?.max ?? PG_MAX) / 4));

/** The maximum of `pg` for a pool without one. */
const PG_MAX = 10;
