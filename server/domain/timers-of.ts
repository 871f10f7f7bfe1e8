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

/** A timer that exists; without a due time it is to be moved, wherever it is wanted. */
export interface PresentTimer {
  readonly subject: string;
  readonly dueAtMs: number | undefined;
}

/** What has to be done to the timers. */
export interface TimerDiff {
  readonly schedule: readonly FeedingTimer[];
  readonly reschedule: readonly FeedingTimer[];
  readonly complete: readonly Pick<FeedingTimer, 'subject'>[];
  readonly cancel: readonly Pick<FeedingTimer, 'subject'>[];
}

/** The difference between two states of a home, of which `events` are what lies between them. */
export const diffTimers = (before: Home, after: Home, events: readonly HomeEvent[]): TimerDiff =>
  diffFrom(timersOf(before), after, events);

/** The same from the timers that there are. */
export const diffFrom = (present: readonly PresentTimer[], after: Home, events: readonly HomeEvent[]): TimerDiff => {
  const earlier = bySubject(present);
  const wanted = timersOf(after);
  const later = bySubject(wanted);
  const completed = new Set(events.flatMap((event) => (event.type === 'feeding-completed' ? [event.feedingId] : [])));
  const gone = present.filter(({ subject }) => !later.has(subject));
  return {
    schedule: wanted.filter(({ subject }) => !earlier.has(subject)),
    reschedule: wanted.filter(({ subject, dueAtMs }) => {
      const was = earlier.get(subject);
      return was !== undefined && was.dueAtMs !== dueAtMs;
    }),
    complete: gone.filter(({ subject }) => completed.has(subject)),
    cancel: gone.filter(({ subject }) => !completed.has(subject)),
  };
};

const bySubject = <Timer extends PresentTimer>(timers: readonly Timer[]): ReadonlyMap<string, Timer> =>
  new Map(timers.map((timer) => [timer.subject, timer]));
