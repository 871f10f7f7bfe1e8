import { addItems } from '../items.ts';
import { takenBack } from './armed-cards.ts';
import type { PetDraft } from './feeding.ts';
import type { Feeding, Pet } from './pet.ts';

type Stopped = Extract<PetDraft, { type: 'feeding-stopped' }>;

/** A feeding by hand that was begun a moment ago, and that no card was played on, gives its food back. */
export const stopped = (
  undoMs: number,
  { pet, feeding, nowMs }: { readonly pet: Pet; readonly feeding: Feeding; readonly nowMs: number },
): Stopped => {
  const isUndo = feeding.by === 'hand' && !feeding.hasCards && nowMs - feeding.startedAtMs <= undoMs;
  const back = takenBack(pet);
  return {
    type: 'feeding-stopped',
    thing: pet.petId,
    feedingId: feeding.feedingId,
    ...back,
    items: addItems(back.items, isUndo ? { [feeding.food]: 1 } : {}),
  };
};
