import type { Pool } from 'pg';
import type { Catalogue } from '../../shared/catalogue.ts';
import { random } from '../adapter/machine/random.ts';
import { systemClock } from '../adapter/machine/system-clock.ts';
import { AdvisoryLock } from '../adapter/postgres/advisory-lock.ts';
import { PostgresAuditStore } from '../adapter/postgres/ops/audit-store.ts';
import { PostgresEraseStore } from '../adapter/postgres/ops/erase-store.ts';
import { PostgresJobStore } from '../adapter/postgres/ops/job-store.ts';
import { PostgresOpsReads } from '../adapter/postgres/ops/ops-reads.ts';
import { PostgresRevokedStore } from '../adapter/postgres/ops/revoked-store.ts';
import type { HomeService } from '../home/home-service.ts';
import type { Inventory } from '../home/model/inventory.ts';
import type { Revocations } from '../home/revocations.ts';
import { JobRunner } from '../ops/jobs/job-runner.ts';
import { type OpsHandlers, opsHandlers } from '../ops/ops.ts';
import type { Activity } from '../ops/reads/activity.ts';
import type { Clock } from '../runtime/clock.ts';
import type { EngineLog } from '../runtime/engine-log.ts';
import { Loop } from '../runtime/loop.ts';
import type { ClockCare } from '../timer/clock/clock-watch.ts';
import type { TrustedTime } from '../timer/clock/trusted-time.ts';
import type { LaneState } from '../timer/fire/lane/lane.ts';
import type { IndexCare } from '../timer/index-care.ts';
import type { TimerService } from '../timer/timer-service.ts';

interface Parts {
  readonly pool: Pool;
  readonly schema: string;
  readonly catalogue: Catalogue;
  readonly inventory: Inventory;
  readonly service: HomeService;
  readonly timers: TimerService;
  readonly index: IndexCare;
  readonly derivedKinds: () => readonly string[];
  readonly clockCare: ClockCare;
  readonly activity: Activity;
  readonly lanes: () => readonly LaneState[];
  readonly clock: Clock;
  readonly log: EngineLog;
  readonly degraded: () => readonly string[] | undefined;
  readonly nowMs?: () => number;
  readonly time: TrustedTime;
}

export interface Ops {
  /** `hasDevTools`: testers may bring feedings nearer. */
  handlers(options?: { readonly hasDevTools?: boolean }): OpsHandlers;
  /** What operators revoked: for those who let players in. */
  readonly revocations: Revocations;
  /** Works jobs off; for a process that fires. */
  readonly jobs: { start(): void; stop(): Promise<void> };
  /** For tests: one turn of it; answers how long it would sleep. */
  runJobs(): Promise<number>;
}

/** What operators may do to this Kibble. */
export const opsOf = (parts: Parts): Ops => {
  const { pool, schema, time, service, timers, index, activity, clock, log, catalogue, degraded } = parts;
  const audit = new PostgresAuditStore({ pool, schema, time });
  const jobs = new PostgresJobStore({ pool, schema, time });
  const revocations = new PostgresRevokedStore({ pool, schema, time });
  const exclusive = new AdvisoryLock({ pool, name: `${schema}.jobs`, clock: systemClock });
  const runner = new JobRunner({ jobs, audit, clock, log, exclusive, homes: service });
  const loop = new Loop({ name: 'jobs', clock, log, tick: runner.tick });
  const name = random.uniqueName();
  return {
    revocations,
    jobs: {
      start: () => loop.start(),
      stop: async () => {
        await loop.stop();
        await exclusive.release();
      },
    },
    runJobs: runner.tick,
    handlers: ({ hasDevTools = false } = {}) =>
      opsHandlers(
        {
          clock: parts.clockCare,
          catalogue,
          timers,
          index,
          audit,
          jobs,
          homes: service,
          uniqueName: random.uniqueName,
          derivedKinds: parts.derivedKinds,
          reads: new PostgresOpsReads(parts),
          revocations,
          erasures: new PostgresEraseStore({ pool, schema }),
          wakeJobs: () => loop.wake(),
          sources: {
            activity,
            degraded,
            process: name,
            lanes: parts.lanes,
            oldestUnackedMs: async () => (await index.state()).inside?.oldestUnackedMs ?? 0,
          },
        },
        hasDevTools,
      ),
  };
};
