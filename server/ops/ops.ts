import type { OpsAnswers } from '../../shared/ops/ops-answers.ts';
import type { OpsInput, OpsWrite } from '../../shared/ops/ops-protocol.ts';
import type { OpsRole, OpsRouteName } from '../../shared/ops/ops-routes.ts';
import type { Catalogue } from '../../shared/pets/catalogue.ts';
import { ok } from '../../shared/result.ts';
import type { Modules } from '../domain/modules.ts';
import type { HomeService } from '../home/home-service.ts';
import type { ClockCare } from '../timer/clock/clock-watch.ts';
import type { IndexCare } from '../timer/index-care.ts';
import type { TimerService } from '../timer/timer-service.ts';
import { OpsClockActs } from './acts/clock-acts.ts';
import { type EraseStore, erasePlayer } from './acts/erase.ts';
import { OpsIndexActs } from './acts/index-acts.ts';
import { OpsPlayers } from './acts/players.ts';
import { OpsRevocations, type RevokeStore } from './acts/revoke.ts';
import { OpsTimers } from './acts/timer-acts.ts';
import { OpsJobs } from './jobs/job-acts.ts';
import type { JobStore } from './jobs/job-store.ts';
import type { AuditStore } from './perform/audit.ts';
import { ask } from './perform/perform.ts';
import { type OpsResult, refuse } from './perform/refusal.ts';
import type { OpsReads } from './reads/ops-reads.ts';
import { type OverviewSources, overview } from './reads/overview.ts';
import { OpsPlayerReads } from './reads/player-reads.ts';
import type { DerivedKinds } from './reads/show-timer.ts';
import { OpsTimerReads } from './reads/timer-reads.ts';

export interface Operator {
  readonly name: string;
  readonly role: OpsRole;
}

/** A request that is checked: who asks, the parts of the path, and the query or the body. */
export interface OpsCall<Name extends OpsRouteName> {
  readonly operator: Operator;
  readonly parts: {
    readonly playerId: string;
    readonly timerId: string;
    readonly feedingId: string;
    readonly jobId: string;
  };
  readonly input: OpsInput<Name>;
}

export type OpsHandlers = {
  readonly [Name in OpsRouteName]: (call: OpsCall<Name>) => Promise<OpsResult<OpsAnswers[Name]>>;
};

export interface OpsDependencies {
  readonly catalogue: Catalogue;
  readonly modules: Modules;
  readonly homes: HomeService;
  readonly timers: TimerService;
  readonly index: IndexCare;
  readonly clock: ClockCare;
  readonly reads: OpsReads;
  readonly audit: AuditStore;
  readonly jobs: JobStore;
  readonly erasures: EraseStore;
  readonly revocations: RevokeStore;
  readonly sources: Omit<OverviewSources, 'reads' | 'derivedKinds'>;
  readonly derivedKinds: DerivedKinds;
  readonly wakeJobs: () => void;
  /** Makes an id for what a tester does without one. */
  readonly uniqueName: () => string;
}

const AUDIT_PAGE = 50;

type ReadName =
  | 'overview'
  | 'search'
  | 'player'
  | 'log'
  | 'playerTimers'
  | 'exportPlayer'
  | 'explainFeeding'
  | 'timers'
  | 'upcoming'
  | 'timer'
  | 'explainTimer'
  | 'failed'
  | 'audit'
  | 'jobs'
  | 'job'
  | 'index'
  | 'clock';

/** Everything that operators may ask for, by route. `hasDevTools`: testers may bring feedings nearer. */
export const opsHandlers = (dependencies: OpsDependencies, hasDevTools: boolean): OpsHandlers => {
  const parts = partsOf(dependencies);
  return {
    me: async ({ operator: { name, role } }) => ok({ name, role, hasDevTools }),
    ...readsOf(dependencies, parts),
    ...actsOf(dependencies, parts),
    advance: hasDevTools
      ? advanceOf(dependencies, parts)
      : async () => refuse('ops/not-here', { needs: 'DEV_TOOLS=1' }),
  };
};

type Parts = ReturnType<typeof partsOf>;

const partsOf = (dependencies: OpsDependencies) => {
  const { homes, timers, reads, audit, jobs, catalogue, modules, derivedKinds } = dependencies;
  return {
    players: new OpsPlayers({ homes, audit, petsPerPlayer: catalogue.limits.petsPerPlayer, modules }),
    playerReads: new OpsPlayerReads({ reads, timers, homes, catalogue, modules }),
    timerActs: new OpsTimers({ timers, reads, audit, derivedKinds }),
    timerReads: new OpsTimerReads({ reads, audit, timers, derivedKinds, index: dependencies.index, modules }),
    index: new OpsIndexActs({ index: dependencies.index, audit }),
    clock: new OpsClockActs({ clock: dependencies.clock, audit }),
    revocations: new OpsRevocations({ audit, store: dependencies.revocations }),
    jobs: new OpsJobs({ jobs, audit, catalogue, wake: dependencies.wakeJobs }),
  };
};

const readsOf = (dependencies: OpsDependencies, parts: Parts): Pick<OpsHandlers, ReadName> => {
  const { reads, audit, derivedKinds, sources } = dependencies;
  const { playerReads, timerReads, jobs, index, clock } = parts;
  const read = <Answer>(work: () => Promise<OpsResult<Answer>>) => ask(audit, work);
  return {
    overview: () => read(() => overview({ reads, derivedKinds, ...sources })),
    search: ({ input }) => read(() => playerReads.search(input)),
    player: ({ parts }) => read(() => playerReads.player(parts.playerId)),
    log: ({ parts, input }) => read(() => playerReads.log(parts.playerId, input)),
    playerTimers: ({ parts }) => read(() => timerReads.ofPlayer(parts.playerId)),
    exportPlayer: ({ parts }) => read(() => playerReads.exportOf(parts.playerId)),
    explainFeeding: ({ parts }) => read(() => timerReads.explainFeeding(parts.feedingId)),
    timers: ({ input }) => read(() => timerReads.list(input)),
    upcoming: ({ input }) => read(() => timerReads.upcoming(input.window)),
    timer: ({ parts }) => read(() => timerReads.show(parts.timerId)),
    explainTimer: ({ parts }) => read(() => timerReads.explain(parts.timerId)),
    failed: () => read(() => timerReads.failed()),
    audit: ({ input: { target, before, limit = AUDIT_PAGE } }) =>
      read(async () => {
        const entries = await audit.page(target, before, limit + 1);
        const page = entries.slice(0, limit);
        return ok({ entries: page, nextBefore: entries.length > limit ? page.at(-1)?.id : undefined });
      }),
    jobs: () => read(() => jobs.list()),
    job: ({ parts }) => read(() => jobs.show(parts.jobId)),
    index: () => read(() => index.state()),
    clock: () => clock.state(),
  };
};

const actsOf = (
  { homes, audit, erasures }: OpsDependencies,
  { players, revocations, timerActs, jobs, index, clock }: Parts,
): Omit<OpsHandlers, ReadName | 'me' | 'advance'> => ({
  grant: ({ operator, parts, input }) => players.grant(operator.name, parts.playerId, input),
  take: ({ operator, parts, input }) => players.take(operator.name, parts.playerId, input),
  shift: ({ operator, parts, input }) => players.shift(operator.name, parts.playerId, input),
  stop: ({ operator, parts, input }) => players.stop(operator.name, parts.playerId, input),
  freeze: ({ operator, parts, input }) => players.freeze(operator.name, parts.playerId, input),
  unfreeze: ({ operator, parts, input }) => players.unfreeze(operator.name, parts.playerId, input),
  revokeTokens: ({ operator, parts, input }) => revocations.ofPlayer(operator.name, parts.playerId, input),
  revokeToken: ({ operator, input }) => revocations.one(operator.name, input),
  shiftTimer: ({ operator, parts, input }) => timerActs.shift(operator.name, parts.timerId, input),
  fireTimer: ({ operator, parts, input }) => timerActs.fire(operator.name, parts.timerId, input),
  cancelTimer: ({ operator, parts, input }) => timerActs.cancel(operator.name, parts.timerId, input),
  reviveTimer: ({ operator, parts, input }) => timerActs.revive(operator.name, parts.timerId, input),
  reviveDead: ({ operator, input }) => timerActs.reviveDead(operator.name, input),

  erase: ({ operator, parts, input }) =>
    erasePlayer({ homes, store: erasures, audit }, { actor: operator.name, playerId: parts.playerId, write: input }),
  merge: ({ operator, parts, input }) => players.merge(operator.name, parts.playerId, input),
  createJob: ({ operator, input }) => jobs.create(operator.name, input),
  stopJob: ({ operator, parts, input }) => jobs.stop(operator.name, parts.jobId, input),
  resumeJob: ({ operator, parts, input }) => jobs.resume(operator.name, parts.jobId, input),
  rebuild: ({ operator, input }) => index.rebuild(operator.name, input),
  reconcile: ({ operator, input }) => index.reconcile(operator.name, input),
  acceptClock: ({ operator, input }) => clock.accept(operator.name, input),
  reshard: ({ operator, input }) => index.reshard(operator.name, input),
});

const advanceOf =
  ({ uniqueName }: OpsDependencies, { players }: Parts): OpsHandlers['advance'] =>
  async ({ operator, parts, input }) => {
    const { commandId = `advance-${uniqueName()}`, reason = 'testing', dryRun, byMs } = input;
    const write: OpsWrite = { commandId, reason, ...(dryRun === undefined ? {} : { dryRun }) };
    return players.advance(operator.name, parts.playerId, { ...write, byMs });
  };
