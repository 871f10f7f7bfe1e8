import type { HomeEvent } from '../../shared/event.ts';
import type { Home } from '../../shared/home.ts';
import { dueOf } from './feeding.ts';

/** The derived kind of timer: its subject is a feeding's id. */
export const FEEDING = 'feeding';

/** A timer that should exist: `subject` is the feeding, `owner` the player. */
export interface FeedingTimer {
  readonly subject: string;
  readonly owner: string;
  readonly dueAtMs: number;
}

/** The timers that a home's state asks for: exactly its running feedings. */
export const timersOf = (home: Home): readonly FeedingTimer[] =>
  home.pets.flatMap((pet) => {
    const dueAtMs = dueOf(pet);
    return pet.feeding && dueAtMs !== undefined
      ? [{ subject: pet.feeding.feedingId, owner: home.playerId, dueAtMs }]
      : [];
  });

/** What has to be done to the timers. */
export interface TimerDiff {
  readonly schedule: readonly FeedingTimer[];
  readonly reschedule: readonly FeedingTimer[];
  readonly complete: readonly FeedingTimer[];
  readonly cancel: readonly FeedingTimer[];
}

/** The difference between two states of a home, of which `events` are what lies between them. */
export const diffTimers = (before: Home, after: Home, events: readonly HomeEvent[]): TimerDiff => {
  const earlier = bySubject(timersOf(before));
  const later = bySubject(timersOf(after));
  const completed = new Set(events.flatMap((event) => (event.type === 'feeding-completed' ? [event.feedingId] : [])));
  const gone = [...earlier.values()].filter((timer) => !later.has(timer.subject));
  return {
    schedule: [...later.values()].filter((timer) => !earlier.has(timer.subject)),
    reschedule: [...later.values()].filter((timer) => {
      const was = earlier.get(timer.subject);
      return was !== undefined && was.dueAtMs !== timer.dueAtMs;
    }),
    complete: gone.filter((timer) => completed.has(timer.subject)),
    cancel: gone.filter((timer) => !completed.has(timer.subject)),
  };
};

const bySubject = (timers: readonly FeedingTimer[]): ReadonlyMap<string, FeedingTimer> =>
  new Map(timers.map((timer) => [timer.subject, timer]));
