import type { OpsAnswers, OpsDone } from '../../../shared/ops/ops-answers.ts';
import type { OpsInput, OpsWrite } from '../../../shared/ops/ops-protocol.ts';
import type { OpsTimer } from '../../../shared/ops/ops-timer.ts';
import { ok } from '../../../shared/result.ts';
import type { Timer } from '../../timer/model/timer.ts';
import type { ChangeOutcome } from '../../timer/model/timer-store.ts';
import type { TimerService } from '../../timer/timer-service.ts';
import type { TimerTransaction } from '../../timer/write/timer-transaction.ts';
import { type AuditStore, timerTarget } from '../perform/audit.ts';
import { type OpsOrder, perform } from '../perform/perform.ts';
import { type OpsResult, refuse } from '../perform/refusal.ts';
import type { TimerLists, TimerLocks } from '../reads/ops-reads.ts';
import { type DerivedKinds, showTimer } from '../reads/show-timer.ts';

interface Dependencies {
  readonly timers: Pick<TimerService, 'within'>;
  readonly reads: TimerLocks & Pick<TimerLists, 'nowMs'>;
  readonly audit: AuditStore;
  readonly derivedKinds: DerivedKinds;
}

type Order = Omit<OpsOrder, 'target'> & { readonly timerId: string };
type Change = (timers: TimerTransaction, timer: Timer, nowMs: number) => Promise<readonly ChangeOutcome[]>;

/** So many dead timers are revived at once unless said otherwise. */
const FEW = 100;

/** What operators do to timers of the game's own kinds. Derived ones follow from a home: act on that instead. */
export class OpsTimers {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  shift(actor: string, timerId: string, { byMs, ...write }: OpsInput<'shiftTimer'>) {
    const order = { actor, action: 'shift', timerId, write, body: { byMs } };
    return this.#change(order, (timers) => timers.shift([{ timerId, byMs }]));
  }

  /** Makes it due now: whoever has its handler fires it. */
  fire(actor: string, timerId: string, write: OpsWrite) {
    const change: Change = (timers, _timer, nowMs) => timers.reschedule([{ timerId, dueAtMs: nowMs }]);
    return this.#change({ actor, action: 'fire', timerId, write, body: {} }, change);
  }

  cancel(actor: string, timerId: string, write: OpsWrite) {
    const order = { actor, action: 'cancel', timerId, write, body: {} };
    return this.#change(order, (timers) => timers.cancel([{ timerId }]));
  }

  revive(actor: string, timerId: string, write: OpsWrite) {
    const order = { actor, action: 'revive', timerId, write, body: {} };
    return this.#change(order, (timers) => timers.revive([{ timerId }]));
  }

  /** Revives dead timers of a kind (and of an error), latest first; the audit has an entry for each. */
  async reviveDead(
    actor: string,
    { kind, error, limit = FEW, ...write }: OpsInput<'reviveDead'>,
  ): Promise<OpsResult<OpsAnswers['reviveDead']>> {
    const { audit, reads, timers, derivedKinds } = this.#dependencies;
    const order = { actor, action: 'revive', target: `timers:${kind}`, write, body: { kind, error, limit } };
    return perform(audit, order, async (tx) => {
      const dead = await reads.lockDead(tx, { kind, error, limit });
      const writer = timers.within(tx);
      const outcomes = await writer.revive(dead.map(({ id }) => ({ timerId: id })));
      const revived = outcomes.flatMap((outcome) => (outcome.outcome === 'applied' ? outcome.timer : []));
      const nowMs = await reads.nowMs();
      const seen = { nowMs, derivedKinds };
      const shown = revived.map((timer) => showTimer(timer, seen));
      const before = new Map(dead.map((timer) => [timer.id, showTimer(timer, seen)]));
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
    const { audit, reads, timers, derivedKinds } = this.#dependencies;
    return perform(audit, { ...order, target: timerTarget(timerId) }, async (tx) => {
      const before = await reads.lockTimer(tx, timerId);
      if (!before) return refuse('timer/unknown', { timerId });
      if (derivedKinds().includes(before.kind)) return refuse('timer/derived', { timerId, playerId: before.owner });
      const nowMs = await reads.nowMs();
      const writer = timers.within(tx);
      const [outcome] = await change(writer, before, nowMs);
      if (outcome?.outcome !== 'applied') return refusalOf(outcome, before);
      const seen = { nowMs, derivedKinds };
      const answer = showTimer(outcome.timer, seen);
      return ok({ before: showTimer(before, seen), after: answer, answer, afterCommit: () => writer.afterCommit() });
    });
  }
}

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
