import type { OpsAnswers, OpsDone, OpsTimer } from '../../shared/ops-answers.ts';
import type { OpsInput, OpsWrite } from '../../shared/ops-protocol.ts';
import { ok } from '../../shared/result.ts';
import type { Timer } from '../timer/timer.ts';
import type { TimerService } from '../timer/timer-service.ts';
import type { ChangeOutcome } from '../timer/timer-store.ts';
import type { TimerTransaction } from '../timer/timer-transaction.ts';
import { type AuditStore, timerTarget } from './audit.ts';
import type { OpsReads } from './ops-reads.ts';
import { perform } from './perform.ts';
import { type OpsResult, refuse } from './refusal.ts';
import { derivedKinds, showTimer } from './show-timer.ts';

interface Dependencies {
  readonly timers: Pick<TimerService, 'within'>;
  readonly reads: Pick<OpsReads, 'lockTimer' | 'lockDead' | 'nowMs'>;
  readonly audit: AuditStore;
}

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
    const change: Change = (timers) => timers.shift([{ timerId, byMs }]);
    return this.#change(actor, 'shift', timerId, write, { byMs }, change);
  }

  /** Makes it due now: whoever has its handler fires it. */
  fire(actor: string, timerId: string, write: OpsWrite) {
    const change: Change = (timers, _timer, nowMs) => timers.reschedule([{ timerId, dueAtMs: nowMs }]);
    return this.#change(actor, 'fire', timerId, write, {}, change);
  }

  cancel(actor: string, timerId: string, write: OpsWrite) {
    return this.#change(actor, 'cancel', timerId, write, {}, (timers) => timers.cancel([{ timerId }]));
  }

  revive(actor: string, timerId: string, write: OpsWrite) {
    return this.#change(actor, 'revive', timerId, write, {}, (timers) => timers.revive([{ timerId }]));
  }

  /** Revives dead timers of a kind (and of an error), latest first; the audit has an entry for each. */
  async reviveDead(
    actor: string,
    { kind, error, limit = FEW, ...write }: OpsInput<'reviveDead'>,
  ): Promise<OpsResult<OpsAnswers['reviveDead']>> {
    const { audit, reads, timers } = this.#dependencies;
    const order = { actor, action: 'revive', target: `timers:${kind}`, write, body: { kind, error, limit } };
    return perform(audit, order, async (tx) => {
      const dead = await reads.lockDead(tx, kind, error, limit);
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

  #change(
    actor: string,
    action: string,
    timerId: string,
    write: OpsWrite,
    body: object,
    change: Change,
  ): Promise<OpsResult<OpsDone<OpsTimer>>> {
    const { audit, reads, timers } = this.#dependencies;
    return perform(audit, { actor, action, target: timerTarget(timerId), write, body }, async (tx) => {
      const before = await reads.lockTimer(tx, timerId);
      if (!before) return refuse('timer/unknown', { timerId });
      if (derivedKinds.includes(before.kind)) return refuse('timer/derived', { timerId, playerId: before.owner });
      const nowMs = await reads.nowMs();
      const writer = timers.within(tx);
      const [outcome] = await change(writer, before, nowMs);
      if (outcome?.outcome !== 'applied') return refusalOf(outcome, before);
      const answer = showTimer(outcome.timer, nowMs);
      return ok({ before: showTimer(before, nowMs), after: answer, answer, afterCommit: () => writer.afterCommit() });
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
