import type { Timer } from '../../../timer/model/timer.ts';

/** The caller's own key of a timer. */
export interface Key {
  readonly kind: string;
  readonly subject: string;
}

/** As one string, for maps. */
export const keyOf = ({ kind, subject }: Key): string => JSON.stringify([kind, subject]);

/** Of several timers with one key the last. */
export const byKey = (timers: readonly Timer[]): Map<string, Timer> =>
  new Map(timers.map((timer) => [keyOf(timer), timer]));

/** As parameters for `unnest`: kinds, subjects. */
export const columnsOf = (keys: readonly Key[]): string[][] => [
  keys.map((key) => key.kind),
  keys.map((key) => key.subject),
];
