import { diffTimers, FEEDING } from '../domain/timers-of.ts';
import type { DerivedChanges } from '../timer/timer-store.ts';
import type { HomeChange } from './home-store.ts';

/** What the changes of all homes ask of the timer rows; undefined when nothing. */
export const timerChanges = (changes: readonly HomeChange[]): DerivedChanges | undefined => {
  const diffs = changes.map(({ before, after, events }) => diffTimers(before, after, events));
  const all = (part: 'schedule' | 'reschedule' | 'complete' | 'cancel') =>
    diffs.flatMap((diff) => diff[part].map((timer) => ({ kind: FEEDING, ...timer })));
  const derived = {
    schedule: all('schedule'),
    reschedule: all('reschedule'),
    complete: all('complete'),
    cancel: all('cancel'),
  };
  return Object.values(derived).some((timers) => timers.length > 0) ? derived : undefined;
};
