import type { Catalogue } from '../../shared/catalogue.ts';
import type { EventOf } from '../../shared/event.ts';
import { addItems, type Feeding, type Pet } from '../../shared/home.ts';
import { takenBack } from './armed-cards.ts';

type Stopped = Pick<EventOf<'feeding-stopped'>, 'type' | 'petId' | 'feedingId' | 'items' | 'autoFeeds'>;

/** A feeding by hand that was begun a moment ago, and that no card was played on, gives its food back. */
export const stopped = (catalogue: Catalogue, pet: Pet, feeding: Feeding, nowMs: number): Stopped => {
  const isUndo = feeding.by === 'hand' && !feeding.hasCards && nowMs - feeding.startedAtMs <= catalogue.limits.undoMs;
  const back = takenBack(pet);
  return {
    type: 'feeding-stopped',
    petId: pet.petId,
    feedingId: feeding.feedingId,
    ...back,
    items: addItems(back.items, isUndo ? { [feeding.food]: 1 } : {}),
  };
};
