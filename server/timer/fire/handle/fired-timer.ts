import type { Timer } from '../../model/timer.ts';
import type { FiredTimer } from '../../model/timer-kind.ts';

/** What a handler is told of its timer. */
export const firedTimer = (timer: Timer): FiredTimer => {
  const { isMisfire = false, lateMs = 0, missed = 0 } = timer.lateness ?? {};
  return { ...timer, isMisfire, lateMs, missed };
};

/** Whose code a handler is, in faults. */
export const handlerOf = ({ kind }: { readonly kind: string }): string => `handler of kind "${kind}"`;
