import type { OpsAct } from '../../shared/ops/act.ts';
import { type OpsRouteName, opsActs } from '../../shared/ops/acts.ts';
import type { OpsAnswers } from '../../shared/ops/ops-answers.ts';
import { ok } from '../../shared/result.ts';
import type { Modules } from '../domain/modules.ts';
import type { HomeService } from '../home/home-service.ts';
import type { Inventory } from '../home/model/inventory.ts';
import type { ClockCare } from '../timer/clock/clock-watch.ts';
import type { IndexCare } from '../timer/index-operations.ts';
import type { TimerService } from '../timer/timer-service.ts';
import { clockActs, indexActs } from './acts/index-acts.ts';
import { type EraseStore, erase, merge } from './acts/merge-erase.ts';
import { playerActs } from './acts/player-acts.ts';
import { type RevokeStore, revokeActs } from './acts/revoke.ts';
import { type RulesSources, rulesActs } from './acts/rules-acts.ts';
import { kindActs, type PausedKinds, type TimerLocks, timerActs } from './acts/timer-acts.ts';
import { type JobOrders, jobActs } from './jobs/job-acts.ts';
import type { Handles, Operator, OpsCall, OpsResult } from './perform/ops-call.ts';
import { type AuditStore, actOrRefuse } from './perform/perform.ts';
import { type OverviewSources, overview } from './reads/overview.ts';
import { type PlayerRows, type PlayerSearch, playerReads } from './reads/player-reads.ts';
import { thingReads } from './reads/thing-reads.ts';
import { type TimerLists, timerReads } from './reads/timer-reads.ts';

export type { Operator, OpsCall };

export type OpsHandlers = {
  readonly [Name in OpsRouteName]: (call: OpsCall<Name>) => Promise<OpsResult<OpsAnswers[Name]>>;
};

/** The reads of operators. Reads settle nothing. Each result is one snapshot. Errors of the driver are thrown unchanged. */
export interface OpsReads extends PlayerRows, PlayerSearch, TimerLists, TimerLocks {}

export interface OpsDependencies {
  readonly modules: Modules;
  readonly homes: HomeService;
  readonly inventory: Pick<Inventory, 'erase' | 'merge'>;
  readonly rules: RulesSources;
  readonly timers: TimerService;
  readonly kinds: PausedKinds;
  readonly index: IndexCare;
  readonly clock: ClockCare;
  readonly reads: OpsReads;
  readonly audit: AuditStore;
  readonly jobs: JobOrders;
  readonly erasures: EraseStore;
  readonly revocations: RevokeStore;
  readonly sources: Omit<OverviewSources, 'reads' | 'kinds'>;
  readonly wakeJobs: () => void;
  /** Makes ids for testers' commands without one. */
  readonly uniqueName: () => string;
  /** Lets the process do other work. */
  readonly yieldToEventLoop: () => Promise<void>;
  /** Whether testers may move due times nearer. */
  readonly hasDevTools: boolean;
}

const handles: Required<Handles<OpsDependencies>> = {
  me: async ({ hasDevTools }, { operator: { name, role } }) => ok({ name, role, hasDevTools }),
  overview: ({ reads, kinds, sources }) => overview({ reads, kinds, ...sources }),
  ...playerReads,
  ...thingReads,
  ...timerReads,
  ...playerActs,
  merge,
  erase,
  ...revokeActs,
  ...timerActs,
  ...kindActs,
  ...jobActs,
  ...rulesActs,
  ...indexActs,
  ...clockActs,
};

interface AnyCall {
  readonly input: { readonly commandId?: string };
}
type Handle = (on: OpsDependencies, call: AnyCall) => Promise<OpsResult<unknown>>;

/** All acts of operators by name. They return faults of the world as refusals. */
export const opsHandlers = (on: OpsDependencies): OpsHandlers => {
  const bound = Object.entries(handles as unknown as Readonly<Record<OpsRouteName, Handle>>).map(([name, handle]) => {
    const { method }: OpsAct = opsActs[name as OpsRouteName];
    const handler = (call: AnyCall) =>
      actOrRefuse(on.audit, () => handle(on, call), method === 'GET' ? undefined : call.input.commandId);
    return [name, handler];
  });
  return Object.fromEntries(bound);
};
