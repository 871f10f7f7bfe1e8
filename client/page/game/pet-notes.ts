import { signal } from '@preact/signals';
import type { ShownPet } from '../../../shared/pets/shown-pet.ts';
import { type Platform, systemPlatform } from '../../follow/platform.ts';
import type { GameEvent } from './modules.ts';

/** How long a pet is seen to be happy about a meal. */
const HAPPY_MS = 5_000;

/** What the page keeps of pets and meals beside the home as it is shown. */
export const createPetNotes = (platform: Pick<Platform, 'after'> = systemPlatform) => {
  const happy = signal<ReadonlySet<string>>(new Set());
  /** Feedings whose food would come back: by hand, and no card was played on them. */
  const undoable = signal<ReadonlySet<string>>(new Set());
  /** Also of pets that have left. */
  const names = new Map<string, string>();
  /** Cancels the end of a cheer that is still to come, by pet. */
  const calmDown = new Map<string, () => void>();

  const cheer = (petId: string): void => {
    happy.value = withOne(happy.value, petId);
    // The next meal is cheered for as long as the one before.
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
