import { signal } from '@preact/signals';
import type { ShownPet } from '../../../shared/pets/shown-pet.ts';
import { type Platform, systemPlatform } from '../../follow/platform.ts';
import type { GameEvent } from './modules.ts';

/** How long a pet looks happy after a meal. */
const HAPPY_MS = 5_000;

/** The page's own notes on pets and meals, besides the shown home. */
export const createPetNotes = (platform: Pick<Platform, 'after'> = systemPlatform) => {
  const happy = signal<ReadonlySet<string>>(new Set());
  /** Feedings that would give their food back: by hand, without a card. */
  const undoable = signal<ReadonlySet<string>>(new Set());
  /** Names also of pets that have left. */
  const names = new Map<string, string>();
  /** By pet: cancels the coming end of a cheer. */
  const calmDown = new Map<string, () => void>();

  const cheer = (petId: string): void => {
    happy.value = withOne(happy.value, petId);
    // The next meal gets a full cheer again.
    calmDown.get(petId)?.();
    calmDown.set(
      petId,
      platform.after(HAPPY_MS, () => {
        calmDown.delete(petId);
        happy.value = without(happy.value, petId);
      }),
    );
  };

  return {
    happy,
    undoable,
    nameOf: (petId: string): string | undefined => names.get(petId),
    see: (pets: readonly ShownPet[]): void => {
      for (const pet of pets) names.set(pet.id, pet.name);
    },
    hear: (event: GameEvent): void => {
      if (event.type === 'pet-adopted') names.set(event.petId, event.name);
      if (event.type === 'feeding-started' && event.by === 'hand')
        undoable.value = withOne(undoable.value, event.feedingId);
      if (event.type === 'card-used') undoable.value = without(undoable.value, event.feedingId);
      if (event.type === 'feeding-completed') cheer(event.petId);
    },
  };
};

const withOne = (set: ReadonlySet<string>, one: string): ReadonlySet<string> => new Set([...set, one]);
const without = (set: ReadonlySet<string>, one: string): ReadonlySet<string> =>
  new Set([...set].filter((other) => other !== one));
