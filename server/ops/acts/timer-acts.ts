import type { OpsWrite } from '../../../shared/ops/acts.ts';
import type { OpsAnswers, OpsDone } from '../../../shared/ops/ops-answers.ts';
import type { OpsTimer } from '../../../shared/ops/ops-timer.ts';
import { ok } from '../../../shared/result.ts';
import { isOfThing, type Timer } from '../../timer/model/timer.ts';
import type { ChangeOutcome } from '../../timer/model/timer-changes.ts';
import type { KindStore, Tx } from '../../timer/model/timer-store.ts';
import type { TimerService } from '../../timer/timer-service.ts';
import type { TimerTransaction } from '../../timer/write/timer-transaction.ts';
import { type Handles, type OpsCall, type OpsResult, opsRefusal } from '../perform/ops-call.ts';
import { type AuditStore, perform, timerTarget } from '../perform/perform.ts';
import { showTimer, type TimerLists } from '../reads/timer-reads.ts';

export interface TimerLocks {
  /** Returns the locked row; a thing's row is not locked. */
  lockTimer(tx: Tx, timerId: string): Promise<Timer | undefined>;
  /** Dead timers of a kind, latest first, locked in the order of their ids. */
  lockDead(tx: Tx, dead: DeadTimers): Promise<readonly Timer[]>;
}

export interface DeadTimers {
  readonly kind: string;
  /** Undefined: any. */
  readonly error: string | undefined;
  readonly limit: number;
}

interface Dependencies {
  readonly timers: Pick<TimerService, 'within'>;
  readonly reads: TimerLocks & Pick<TimerLists, 'nowMs'>;
  readonly audit: AuditStore;
}

/** The default number of dead timers to revive at once. */
const FEW = 100;

/** Operators' acts on timers of the game's own kinds. Derived timers follow from a home: act on the home instead. */
export const timerActs = {
  shiftTimer: (on, { input: { byMs, ...write }, ...call }) =>
    change(on, { ...call, write, action: 'shift', body: { byMs } }, (timers, { timerId }) =>
      timers.shift([{ timerId, byMs }]),
    ),

  /** A node with the kind's handler fires it. */
  fireTimer: (on, { input: write, ...call }) =>
    change(on, { ...call, write, action: 'fire' }, (timers, target) => timers.fireNow([target])),

  pauseTimer: (on, { input: write, ...call }) =>
    change(on, { ...call, write, action: 'pause' }, (timers, target) => timers.pause([target])),

  resumeTimer: (on, { input: write, ...call }) =>
    change(on, { ...call, write, action: 'resume' }, (timers, target) => timers.resume([target])),

  /** Ends a timer as if it had fired, because its work was done by hand. */
  completeTimer: (on, { input: write, ...call }) =>
    change(on, { ...call, write, action: 'complete' }, (timers, target) => timers.complete([target])),

  cancelTimer: (on, { input: write, ...call }) =>
    change(on, { ...call, write, action: 'cancel' }, (timers, target) => timers.cancel([target])),

  reviveTimer: (on, { input: write, ...call }) =>
    change(on, { ...call, write, action: 'revive' }, (timers, target) => timers.revive([target])),

  /** Revives dead timers of a kind (and with an error), latest first; the audit has an entry for each. */
  reviveDead: async (
    { audit, reads, timers },
    { operator, input: { kind, error, limit = FEW, ...write } },
  ): Promise<OpsResult<OpsAnswers['reviveDead']>> => {
    const body = { kind, error, limit };
    const order = { actor: operator.name, action: 'revive', target: `timers:${kind}`, write, body };
    return perform(audit, order, async (tx) => {
      const dead = await reads.lockDead(tx, { kind, error, limit });
      const writer = timers.within(tx);
      const outcomes = await writer.revive(dead.map(({ id }) => ({ timerId: id })));
      const revived = outcomes.flatMap((outcome) => (outcome.outcome === 'applied' ? outcome.timer : []));
      const nowMs = await reads.nowMs();
      const shown = revived.map((timer) => showTimer(timer, nowMs));
      const before = new Map(dead.map((timer) => [timer.id, showTimer(timer, nowMs)]));
      return ok({
        before: { dead: dead.length },
        after: { revived: shown.length },
        answer: { count: shown.length, timers: shown },
        others: shown.map((after) => ({
          target: timerTarget(after.timerId),
          before: before.get(after.timerId),
          after,
        })),
        afterCommit: () => writer.afterCommit(),
      });
    });
  },
} satisfies Handles<Dependencies>;

interface Order extends Pick<OpsCall<'fireTimer'>, 'operator' | 'parts'> {
  readonly write: OpsWrite;
  readonly action: string;
  readonly body?: object;
}
type Change = (timers: TimerTransaction, target: { readonly timerId: string }) => Promise<readonly ChangeOutcome[]>;

const change = (
  { audit, reads, timers }: Dependencies,
  { operator, parts: { timerId }, write, action, body = {} }: Order,
  changeIn: Change,
): Promise<OpsResult<OpsDone<OpsTimer>>> => {
  const order = { actor: operator.name, action, target: timerTarget(timerId), write, body };
  return perform(audit, order, async (tx) => {
    const before = await reads.lockTimer(tx, timerId);
    if (!before) return opsRefusal('timer/unknown', { timerId });
    if (isOfThing(timerId)) return opsRefusal('timer/derived', { timerId, playerId: before.owner });
    const nowMs = await reads.nowMs();
    const writer = timers.within(tx);
    const [outcome] = await changeIn(writer, { timerId: before.id });
    if (outcome?.outcome !== 'applied') return refusalOf(outcome, before);
    const answer = showTimer(outcome.timer, nowMs);
    return ok({ before: showTimer(before, nowMs), after: answer, answer, afterCommit: () => writer.afterCommit() });
  });
};

const refusalOf = (outcome: ChangeOutcome | undefined, { id, state }: Timer) => {
  const params = { timerId: id, state };
  switch (outcome?.outcome) {
    case 'already-fired':
      return opsRefusal('timer/already-fired', params);
    case 'duplicate':
      return opsRefusal('timer/duplicate', params);
    case 'derived':
      return opsRefusal('timer/derived', params);
    default:
      return opsRefusal('timer/not-scheduled', params);
  }
};

interface OnKinds {
  readonly kinds: PausedKinds;
  readonly audit: AuditStore;
}
export type PausedKinds = Pick<KindStore, 'registeredKinds' | 'pausedKinds' | 'setPaused'>;

/** Operators' acts on all timers of a kind. All processes know them within a second. */
export const kindActs = {
  pauseKind: (on, call) => setPaused(on, call, true),
  resumeKind: (on, call) => setPaused(on, call, false),
} satisfies Handles<OnKinds>;

const setPaused = (
  { kinds, audit }: OnKinds,
  { operator, parts: { kind }, input: write }: OpsCall<'pauseKind' | 'resumeKind'>,
  isPaused: boolean,
): Promise<OpsResult<OpsAnswers['pauseKind']>> => {
  const action = isPaused ? 'pause' : 'resume';
  const order = { actor: operator.name, action, target: `timers:${kind}`, write, body: {} };
  return perform(audit, order, async (tx) => {
    if (!(await kinds.registeredKinds(tx)).has(kind)) return opsRefusal('kind/unknown', { kind });
    const before = { kind, isPaused: (await kinds.pausedKinds(tx)).has(kind) };
    await kinds.setPaused(kind, isPaused, tx);
    const after = { kind, isPaused };
    return ok({ before, after, answer: after });
  });
};
