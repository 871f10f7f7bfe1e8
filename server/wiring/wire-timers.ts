import type { Registry } from '@prometheus-io/client';
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
import { storeReads } from '../telemetry/store-reads.ts';
import { createTimerMetrics } from '../telemetry/timer-metrics.ts';
import { ClockGuard } from '../timer/clock/clock-guard.ts';
import { ClockWatch } from '../timer/clock/clock-watch.ts';
import type { Observe } from '../timer/model/engine-event.ts';
import type { EngineKind } from '../timer/model/timer-kind.ts';
import { TimerEngine } from '../timer/timer-engine.ts';
import { consoleLog, guardedLog } from './console-log.ts';
import { fireConnectionsOf } from './fire-connections.ts';
import { Health } from './health.ts';
import { indexOf } from './index-of.ts';
import { RightToRun } from './right-to-run.ts';

/** What `createTimers` and `createKibble` have in common. */
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
  readonly kinds: readonly EngineKind[];
  /** False: others fire, and tell of the rows. */
  readonly fires: boolean;
  readonly retentionMs: number | undefined;
  /** Also gets every event of the engine. */
  readonly observe?: Observe;
}

/** What all stores and loops of a process stand on. */
export interface Ground {
  readonly database: Database;
  readonly databaseWatch: DatabaseWatch;
  readonly clock: Clock;
  readonly log: EngineLog;
  readonly time: ClockGuard;
}

export type WiredTimers = ReturnType<typeof wireTimers>;

const DAY_MS = 86_400_000;

/**
 * The timers of one process, and what else may stand on the same pool, clock, index and metrics. Opens nothing: that is
 * for `Lifecycle`.
 */
export const wireTimers = (options: Options, { kinds, fires, retentionMs = 30 * DAY_MS, observe }: Work) => {
  const ground = groundOf(options);
  const { database, clock, log, time } = ground;
  const { pool, schema } = database;
  const kindNames = kinds.map(({ kind }) => kind);
  const metrics = createTimerMetrics(kindNames, options.metrics);
  const store = new PostgresTimerStore(database);
  const { channel, witnesses, ...index } = indexOf({ ...options, database, log }, clock);
  const right = new RightToRun({
    ...{ pool, schema, log, clock: systemClock },
    isShared: options.redis !== undefined,
    onReturn: () => engine.care.rebuild(),
  });
  const engine: TimerEngine = new TimerEngine({
    ...index,
    nodes: right.nodes(index.nodes),
    store,
    clock,
    log,
    exclusive: right.exclusive('sweep'),
    retentionMs,
    deadRetentionMs: options.deadRetentionMs,
    batchLimit: limits.timers.batch,
    fireConnections: fireConnectionsOf(pool),
    ...(options.drainMs !== undefined && { drainMs: options.drainMs }),
    observe: (event) => {
      metrics.observe(event);
      observe?.(event);
    },
  });
  for (const kind of kinds) engine.register(kind);
  const record = new PostgresClockRecord(database);
  const clockWatch = new ClockWatch({ guard: time, clock, log, witnesses, record });
  const health = new Health({
    ...ground,
    engine,
    right,
    index: index.index,
    fires: fires && options.clock === undefined,
  });
  // A process that does not fire would only read the rows once more.
  const reads = fires ? storeReads(metrics.registry, systemClock) : undefined;
  const counts = new PostgresTimerCounts(database);
  const indexKind = options.redis === undefined ? 'wheel' : 'redis';
  const gauged = { index: index.index, kinds: kindNames };
  const eventLoop = metrics.addGauges(
    { pool, engine, health, time, indexKind, ...gauged },
    reads && { reads, counts, ...gauged },
  );
  const made = { store, channel, right, engine, clockWatch, health, metrics, reads, eventLoop };
  // The node's name is that by which its shards have it as their owner.
  return { ...ground, ...made, ground, index: index.index, node: index.nodes.self };
};

const groundOf = ({ pool, schema = 'kibble', clock: manual, ...options }: Options): Ground => {
  const log = guardedLog(options.log ?? consoleLog());
  surviveLostConnections(pool, log);
  const clock = manual ?? systemClock;
  const time = new ClockGuard(clock);
  const database = new Database({ pool, schema, time, ...(manual && { nowMs: manual.nowMs }) });
  const databaseWatch = new DatabaseWatch({ database, clock: systemClock, log });
  return { database, databaseWatch, clock, log, time };
};
