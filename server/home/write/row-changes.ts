// Which rows the changes of homes ask for, besides those of the timers (`timer-changes.ts`).
import type { HomeEvent } from '../../../shared/event.ts';
import type { Feeding, Home, Pet } from '../../../shared/home.ts';
import type { HomeChange } from '../model/home-store.ts';
import type { ItemMove } from '../model/inventory.ts';

/** Everything that the events gave or took. */
export const itemMoves = (changes: readonly HomeChange[]): readonly ItemMove[] =>
  changes.flatMap(({ after: { playerId }, events }) =>
    events.flatMap((event) =>
      Object.entries(('items' in event && event.items) || {})
        .filter(([, delta]) => delta !== 0)
        .map(([item, delta]) => ({
          playerId,
          item,
          delta,
          reason: event.type === 'items-granted' ? event.reason : event.type,
          key: `${playerId}~${event.seq}~${item}`,
        })),
    ),
  );

export interface OwnedPet {
  readonly playerId: string;
  readonly pet: Pet;
}

/** Pets that are not what they were: states are never changed in place, so another object is another state. */
export const changedPets = (changes: readonly HomeChange[]): readonly OwnedPet[] =>
  changes.flatMap(({ before, after }) =>
    after.pets.filter((pet) => !before.pets.includes(pet)).map((pet) => ({ playerId: after.playerId, pet })),
  );

export const releasedPets = (changes: readonly HomeChange[]): readonly string[] =>
  changes.flatMap(({ events }) => events.flatMap(leaving));

const leaving = (event: HomeEvent): readonly string[] => {
  if (event.type === 'pet-released') return [event.petId];
  return event.type === 'home-merged' ? event.pets.map(({ petId }) => petId) : [];
};

export interface FeedingRow {
  readonly playerId: string;
  readonly petId: string;
  readonly feeding: Feeding;
  readonly state: 'running' | 'completed' | 'stopped';
  readonly endedAtMs: number | undefined;
}

/** The rows of all feedings that began, changed or ended, as they are now. */
export const changedFeedings = (changes: readonly HomeChange[]): readonly FeedingRow[] =>
  changes.flatMap(({ before, after, events }) => {
    const running: Running = new Map();
    for (const { petId, feeding } of before.pets) if (feeding) running.set(feeding.feedingId, { petId, feeding });
    const rows = events.flatMap((event) => endedRow(before.playerId, running, event));
    return [...rows, ...runningRows(before, after)];
  });

type Running = Map<string, { readonly petId: string; readonly feeding: Feeding }>;

const endedRow = (playerId: string, running: Running, event: HomeEvent): readonly FeedingRow[] => {
  if (event.type === 'feeding-started') {
    const work = { leftMs: event.workMs, sinceAtMs: event.at };
    const feeding = { ...event, startedAtMs: event.at, work, hasCards: false };
    running.set(event.feedingId, { petId: event.petId, feeding });
  }
  // What still runs goes on in the other home, under another id.
  if (event.type === 'home-merged') {
    return [...running.values()].map((left) => ({ playerId, ...left, state: 'stopped', endedAtMs: event.at }));
  }
  const played = event.type === 'card-used' ? running.get(event.feedingId) : undefined;
  if (played) running.set(played.feeding.feedingId, { ...played, feeding: { ...played.feeding, hasCards: true } });
  if (event.type !== 'feeding-completed' && event.type !== 'feeding-stopped') return [];
  const feeding = running.get(event.feedingId)?.feeding;
  running.delete(event.feedingId);
  if (!feeding) return [];
  const { petId, at: endedAtMs } = event;
  return event.type === 'feeding-stopped'
    ? [{ playerId, petId, feeding, state: 'stopped', endedAtMs }]
    : [
        {
          playerId,
          petId,
          feeding: { ...feeding, work: { leftMs: 0, sinceAtMs: endedAtMs } },
          state: 'completed',
          endedAtMs,
        },
      ];
};

const runningRows = (before: Home, after: Home): readonly FeedingRow[] => {
  const known = new Set(before.pets.map((pet) => pet.feeding));
  return after.pets.flatMap(({ petId, feeding }): readonly FeedingRow[] =>
    feeding && !known.has(feeding)
      ? [{ playerId: after.playerId, petId, feeding, state: 'running', endedAtMs: undefined }]
      : [],
  );
};
