import type { OpsAnswers, OpsDone } from '../../../shared/ops/ops-answers.ts';
import type { OpsTimer } from '../../../shared/ops/ops-timer.ts';
import { ok } from '../../../shared/result.ts';
import { isOfThing, type Timer } from '../../timer/model/timer.ts';
import type { ChangeOutcome } from '../../timer/model/timer-changes.ts';
import type { TimerService } from '../../timer/timer-service.ts';
import type { TimerTransaction } from '../../timer/write/timer-transaction.ts';
import { type AuditStore, timerTarget } from '../perform/audit.ts';
import type { OpsCall, OpsPlainCall } from '../perform/ops-call.ts';
import { type OpsOrder, perform } from '../perform/perform.ts';
import { type OpsResult, refuse } from '../perform/refusal.ts';
import type { TimerLists, TimerLocks } from '../reads/ops-reads.ts';
import { showTimer } from '../reads/show-timer.ts';

interface Dependencies {
  readonly timers: Pick<TimerService, 'within'>;
  readonly reads: TimerLocks & Pick<TimerLists, 'nowMs'>;
  readonly audit: AuditStore;
}

type Order = Omit<OpsOrder, 'target'> & { readonly timerId: string };
type Change = (timers: TimerTransaction, timer: Timer) => Promise<readonly ChangeOutcome[]>;

/** So many dead timers are revived at once unless said otherwise. */
const FEW = 100;

/** What operators do to timers of the game's own kinds. Derived ones follow from a home: act on that instead. */
export class OpsTimers {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  shift({ input, ...caller }: OpsCall<'shiftTimer'>) {
    const { byMs, ...write } = input;
    const order = { ...orderOf({ ...caller, input: write }, 'shift'), body: { byMs } };
    return this.#change(order, (timers, { id }) => timers.shift([{ timerId: id, byMs }]));
  }

  /** Makes it due now: a node that has its handler fires it. */
  fire(call: OpsPlainCall) {
    return this.#change(orderOf(call, 'fire'), (timers, { id }) => timers.fireNow([{ timerId: id }]));
  }

  /** Holds it back: it keeps its due time. */
  pause(call: OpsPlainCall) {
    return this.#change(orderOf(call, 'pause'), (timers, { id }) => timers.pause([{ timerId: id }]));
  }

  resume(call: OpsPlainCall) {
    return this.#change(orderOf(call, 'resume'), (timers, { id }) => timers.resume([{ timerId: id }]));
  }

  /** Ends it as if it had fired, for what somebody did by hand. */
  complete(call: OpsPlainCall) {
    return this.#change(orderOf(call, 'complete'), (timers, { id }) => timers.complete([{ timerId: id }]));
  }

  cancel(call: OpsPlainCall) {
    return this.#change(orderOf(call, 'cancel'), (timers, { id }) => timers.cancel([{ timerId: id }]));
  }

  revive(call: OpsPlainCall) {
    return this.#change(orderOf(call, 'revive'), (timers, { id }) => timers.revive([{ timerId: id }]));
  }

  /** Revives dead timers of a kind (and of an error), latest first; the audit has an entry for each. */
  async reviveDead({ operator, input }: OpsCall<'reviveDead'>): Promise<OpsResult<OpsAnswers['reviveDead']>> {
    const { audit, reads, timers } = this.#dependencies;
    const { kind, error, limit = FEW, ...write } = input;
    const order = {
      actor: operator.name,
      action: 'revive',
      target: `timers:${kind}`,
      write,
      body: { kind, error, limit },
    };
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
  }

  #change({ timerId, ...order }: Order, change: Change): Promise<OpsResult<OpsDone<OpsTimer>>> {
    const { audit, reads, timers } = this.#dependencies;
    return perform(audit, { ...order, target: timerTarget(timerId) }, async (tx) => {
      const before = await reads.lockTimer(tx, timerId);
      if (!before) return refuse('timer/unknown', { timerId });
      if (isOfThing(timerId)) return refuse('timer/derived', { timerId, playerId: before.owner });
      const nowMs = await reads.nowMs();
      const writer = timers.within(tx);
      const [outcome] = await change(writer, before);
      if (outcome?.outcome !== 'applied') return refusalOf(outcome, before);
      const answer = showTimer(outcome.timer, nowMs);
      return ok({ before: showTimer(before, nowMs), after: answer, answer, afterCommit: () => writer.afterCommit() });
    });
  }
}

const orderOf = ({ operator, parts, input }: OpsPlainCall, action: string): Order => ({
  actor: operator.name,
  action,
  timerId: parts.timerId,
  write: input,
  body: {},
});

const refusalOf = (outcome: ChangeOutcome | undefined, { id, state }: Timer) => {
  const params = { timerId: id, state };
  switch (outcome?.outcome) {
    case 'already-fired':
      return refuse('timer/already-fired', params);
    case 'duplicate':
      return refuse('timer/duplicate', params);
    case 'derived':
      return refuse('timer/derived', params);
    default:
      return refuse('timer/not-scheduled', params);
  }
};
