import { NotRetryable } from '../../../server/timer/fire/not-retryable.ts';
import type { FiredTimer, FireKind } from '../../../server/timer/model/timer-kind.ts';
import { type EffectRow, INSERT_EFFECTS, type Order } from './game-tables.ts';

export const REMINDER = 'reminder';

/** The wait after each failed attempt. */
export const RETRY_DELAYS_MS = [50, 100, 200, 400, 400, 400, 400, 400] as const;

/**
 * The game's own kind. Its handler first writes an effect for each timer and schedules the next turns, and then fails
 * where a timer wants that: the transaction must roll all of it back.
 */
export const reminders: FireKind = {
  kind: REMINDER,
  retryDelaysMs: RETRY_DELAYS_MS,
  fire: async (timers, tx) => {
    const effects = timers.map(effectOf);
    await tx.query(INSERT_EFFECTS, effects);
    const coming = effects.flatMap(({ nextDueAtMs: dueAtMs }, at) => {
      const timer = timers[at];
      if (dueAtMs === undefined || timer === undefined) return [];
      return { kind: REMINDER, subject: timer.subject, owner: timer.owner, dueAtMs };
    });
    if (coming.length > 0) await tx.timers.schedule(coming);
    if (timers.some((timer) => orderOf(timer).isHopeless)) throw new NotRetryable('never');
    if (timers.some((timer) => timer.attempt < orderOf(timer).fails)) throw new Error('not yet');
    return undefined;
  },
};

const orderOf = ({ payload }: FiredTimer): Order => payload as Order;

const effectOf = (timer: FiredTimer): Omit<EffectRow, 'writtenAtMs'> => {
  const { turns, everyMs } = orderOf(timer);
  return {
    type: 'effect',
    timerId: timer.id,
    turn: timer.turn,
    dueAtMs: timer.dueAtMs,
    nextDueAtMs: timer.turn < turns ? timer.dueAtMs + everyMs : undefined,
  };
};
