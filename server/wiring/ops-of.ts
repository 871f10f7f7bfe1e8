import { random } from '../adapter/machine/random.ts';
import { yieldToEventLoop } from '../adapter/machine/system-clock.ts';
import type { HostInventory } from '../adapter/postgres/home/host-inventory.ts';
import { PostgresAuditStore } from '../adapter/postgres/ops/audit-store.ts';
import { PostgresEraseStore } from '../adapter/postgres/ops/erase-store.ts';
import { PostgresJobStore } from '../adapter/postgres/ops/job-store.ts';
import { PostgresOpsReads } from '../adapter/postgres/ops/ops-reads.ts';
import { PostgresRevokedStore } from '../adapter/postgres/ops/revoked-store.ts';
import type { Modules } from '../domain/modules.ts';
import type { HomeService } from '../home/home-service.ts';
import type { Revocations } from '../home/revocations.ts';
import type { RulesSources } from '../ops/acts/rules-acts.ts';
import { JobRunner } from '../ops/jobs/job-runner.ts';
import { type OpsHandlers, opsHandlers } from '../ops/ops.ts';
import type { Activity } from '../ops/reads/activity.ts';
import { Loop } from '../runtime/loop.ts';
import { onceBooted } from './health.ts';
import type { WiredTimers } from './wire-timers.ts';

interface Parts {
  readonly timers: WiredTimers;
  readonly service: HomeService;
  readonly modules: Modules;
  readonly rules: RulesSources;
  /** The game's own inventory. */
  readonly inventory: HostInventory | undefined;
  readonly activity: Activity;
}

export interface Ops {
  /** `hasDevTools`: testers may move due times nearer. */
  handlers(options?: { readonly hasDevTools?: boolean }): OpsHandlers;
  /** Operators' revocations, for code that admits players. */
  readonly revocations: Revocations;
  /** Runs jobs; for a process that fires. */
  readonly jobs: { start(): void; stop(): Promise<void> };
  /** For tests: one turn of the job runner; returns how long it would sleep. */
  runJobs(): Promise<number>;
}

/** The operators' acts on this Kibble. */
export const opsOf = ({ timers, service, modules, rules, inventory, activity }: Parts): Ops => {
  const { host, due, engine, health, clockWatch } = timers;
  const { database, clock, log } = host;
  const audit = new PostgresAuditStore(database, () => timers.right.mayRun);
  const jobs = new PostgresJobStore(database);
  const revocations = new PostgresRevokedStore(database);
  const exclusive = timers.right.exclusive('jobs');
  const runner = new JobRunner({ modules, jobs, audit, clock, log, exclusive, homes: service });
  const loop = new Loop({ name: 'jobs', clock, log, tick: runner.tick });
  const stop = async (): Promise<void> => {
    await loop.stop();
    await exclusive.release();
  };
  const parts = {
    clock: clockWatch,
    modules,
    timers: engine.timers,
    kinds: timers.store,
    index: engine.indexOperations,
    audit,
    jobs,
    homes: service,
    rules,
    // If the stock is in the home's row, the statements of erase and merge handle it.
    inventory: inventory ?? {},
    uniqueName: random.uniqueName,
    yieldToEventLoop,
    reads: new PostgresOpsReads({ database, modules, inventory }),
    revocations,
    erasures: new PostgresEraseStore(database),
    wakeJobs: () => loop.wake(),
    sources: {
      activity,
      degraded: () => health.degraded(),
      // The shards name their owner so.
      process: due.nodes.self,
      lanes: () => engine.lanes,
      oldestUnackedMs: async () => (await engine.indexOperations.state()).inside?.oldestUnackedMs,
    },
  };
  return {
    revocations: onceBooted<Revocations>(revocations, health.boot),
    jobs: { start: () => loop.start(), stop },
    ...onceBooted({ runJobs: runner.tick }, health.boot),
    handlers: ({ hasDevTools = false } = {}) => onceBooted(opsHandlers({ ...parts, hasDevTools }), health.boot),
  };
};
