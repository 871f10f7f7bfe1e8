import { countOf, type Items } from '../items.ts';
import { autoFeedsOf, type Pet, wholeCards } from './pet.ts';

/** What goes back to the items when armed cards are taken back, and how many feedings stay armed; none: it is missing. */
export interface TakenBack {
  readonly items: Items;
  readonly autoFeeds?: number;
}

/**
 * The newest `count` armed cards, all that can go back without a count. Of a card that was used in part the feedings that
 * are left stay armed: they are paid for.
 */
export const takenBack = (pet: Pet, count = Number.POSITIVE_INFINITY): TakenBack => {
  const items: Record<string, number> = {};
  let wanted = count;
  let autoFeeds = autoFeedsOf(pet);
  for (const armed of pet.armed.toReversed()) {
    const taken = Math.min(wanted, wholeCards(armed));
    if (taken > 0) items[armed.card] = countOf(items, armed.card) + taken;
    wanted -= taken;
    autoFeeds -= taken * armed.times;
  }
  return autoFeeds > 0 ? { items, autoFeeds } : { items };
};
