import type { OpsRouteName } from '../../shared/ops/acts.ts';
import type { OpsAnswers } from '../../shared/ops/ops-answers.ts';
import { ok } from '../../shared/result.ts';
import type { Modules } from '../domain/modules.ts';
import type { HomeService } from '../home/home-service.ts';
import type { Inventory } from '../home/model/inventory.ts';
import type { ClockCare } from '../timer/clock/clock-watch.ts';
import type { IndexCare } from '../timer/index-care.ts';
import type { TimerService } from '../timer/timer-service.ts';
import { OpsClockActs } from './acts/clock-acts.ts';
import { type EraseStore, erasePlayer } from './acts/erase.ts';
import { OpsIndexActs } from './acts/index-acts.ts';
import { OpsKinds, type PausedKinds } from './acts/kind-acts.ts';
import { OpsPlayers } from './acts/players.ts';
import { OpsRevocations, type RevokeStore } from './acts/revoke.ts';
import { OpsTimers } from './acts/timer-acts.ts';
import { OpsJobs } from './jobs/job-acts.ts';
import type { JobStore } from './jobs/job-store.ts';
import type { AuditStore } from './perform/audit.ts';
import type { Operator, OpsCall } from './perform/ops-call.ts';
import { ask } from './perform/perform.ts';
import { type OpsResult, refuse } from './perform/refusal.ts';
import type { OpsReads } from './reads/ops-reads.ts';
import { type OverviewSources, overview } from './reads/overview.ts';
import { OpsPlayerReads } from './reads/player-reads.ts';
import { OpsThingReads } from './reads/thing-reads.ts';
import { OpsTimerReads } from './reads/timer-reads.ts';

export type { Operator, OpsCall };

export type OpsHandlers = {
  readonly [Name in OpsRouteName]: (call: OpsCall<Name>) => Promise<OpsResult<OpsAnswers[Name]>>;
};

export interface OpsDependencies {
  readonly modules: Modules;
  readonly homes: HomeService;
  readonly inventory: Pick<Inventory, 'erase' | 'merge'>;
  readonly timers: TimerService;
  readonly kinds: PausedKinds;
  readonly index: IndexCare;
  readonly clock: ClockCare;
  readonly reads: OpsReads;
  readonly audit: AuditStore;
  readonly jobs: JobStore;
  readonly erasures: EraseStore;
  readonly revocations: RevokeStore;
  readonly sources: Omit<OverviewSources, 'reads' | 'kinds'>;
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
  | 'explainThing'
  | 'modules'
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

/** Everything that operators may ask for, by route. `hasDevTools`: testers may bring what is due nearer. */
export const opsHandlers = (dependencies: OpsDependencies, hasDevTools: boolean): OpsHandlers => {
  const parts = partsOf(dependencies);
  return {
    me: async ({ operator: { name, role } }) => ok({ name, role, hasDevTools }),
    ...readsOf(dependencies, parts),
    ...actsOf(dependencies, parts),
    advance: hasDevTools
      ? (call) => parts.players.advance(call)
      : async () => refuse('ops/not-here', { needs: 'DEV_TOOLS=1' }),
  };
};

type Parts = ReturnType<typeof partsOf>;

const partsOf = (dependencies: OpsDependencies) => {
  const { homes, inventory, timers, reads, audit, jobs, modules, uniqueName } = dependencies;
  const thingReads = new OpsThingReads({ reads, timers, modules });
  return {
    thingReads,
    players: new OpsPlayers({ homes, inventory, audit, modules, uniqueName }),
    playerReads: new OpsPlayerReads({ reads, timers, modules }),
    timerActs: new OpsTimers({ timers, reads, audit }),
    kindActs: new OpsKinds({ kinds: dependencies.kinds, audit }),
    timerReads: new OpsTimerReads({
      reads,
      audit,
      timers,
      modules,
      index: dependencies.index,
      things: thingReads,
    }),
    index: new OpsIndexActs({ index: dependencies.index, audit }),
    clock: new OpsClockActs({ clock: dependencies.clock, audit }),
    revocations: new OpsRevocations({ audit, store: dependencies.revocations }),
    jobs: new OpsJobs({ jobs, audit, wake: dependencies.wakeJobs }),
  };
};

const readsOf = (dependencies: OpsDependencies, parts: Parts): Pick<OpsHandlers, ReadName> => {
  const { reads, audit, sources } = dependencies;
  const { playerReads, thingReads, timerReads, jobs, index, clock } = parts;
  const read = <Answer>(work: () => Promise<OpsResult<Answer>>) => ask(audit, work);
  return {
    overview: () => read(() => overview({ reads, kinds: dependencies.kinds, ...sources })),
    search: ({ input }) => read(() => playerReads.search(input)),
    player: ({ parts }) => read(() => playerReads.player(parts.playerId)),
    log: ({ parts, input }) => read(() => playerReads.log(parts.playerId, input)),
    playerTimers: ({ parts }) => read(() => timerReads.ofPlayer(parts.playerId)),
    exportPlayer: ({ parts }) => read(() => playerReads.exportOf(parts.playerId)),
    explainThing: ({ parts, input }) => read(() => thingReads.explain(parts.playerId, input)),
    modules: () => read(() => thingReads.modules()),
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
  { homes, audit, erasures, inventory }: OpsDependencies,
  { players, revocations, timerActs, kindActs, jobs, index, clock }: Parts,
): Omit<OpsHandlers, ReadName | 'me' | 'advance'> => ({
  grant: (call) => players.grant(call),
  take: (call) => players.take(call),
  shift: (call) => players.shift(call),
  stop: (call) => players.stop(call),
  freeze: (call) => players.freeze(call),
  unfreeze: (call) => players.unfreeze(call),
  revokeTokens: ({ operator, parts, input }) => revocations.ofPlayer(operator.name, parts.playerId, input),
  revokeToken: ({ operator, input }) => revocations.one(operator.name, input),
  shiftTimer: (call) => timerActs.shift(call),
  fireTimer: (call) => timerActs.fire(call),
  pauseTimer: (call) => timerActs.pause(call),
  resumeTimer: (call) => timerActs.resume(call),
  completeTimer: (call) => timerActs.complete(call),
  cancelTimer: (call) => timerActs.cancel(call),
  reviveTimer: (call) => timerActs.revive(call),
  reviveDead: (call) => timerActs.reviveDead(call),
  pauseKind: (call) => kindActs.setPaused(call, true),
  resumeKind: (call) => kindActs.setPaused(call, false),

  erase: ({ operator, parts, input }) =>
    erasePlayer(
      { homes, store: erasures, audit, inventory },
      { actor: operator.name, playerId: parts.playerId, write: input },
    ),
  merge: (call) => players.merge(call),
  createJob: (call) => jobs.create(call),
  stopJob: (call) => jobs.stop(call),
  resumeJob: (call) => jobs.resume(call),
  rebuild: ({ operator, input }) => index.rebuild(operator.name, input),
  reconcile: ({ operator, input }) => index.reconcile(operator.name, input),
  acceptClock: ({ operator, input }) => clock.accept(operator.name, input),
  reshard: ({ operator, input }) => index.reshard(operator.name, input),
});
