import type { Items } from '../../shared/catalogue.ts';
import { countOf, type Pet, wholeCards } from '../../shared/home.ts';

/** The newest `count` armed cards that can go back to the items, by name; all of them without a count. */
export const armedCards = (pet: Pet, count = Number.POSITIVE_INFINITY): Items => {
  const cards: Record<string, number> = {};
  let wanted = count;
  for (const armed of pet.armed.toReversed()) {
    const taken = Math.min(wanted, wholeCards(armed));
    if (taken > 0) cards[armed.card] = countOf(cards, armed.card) + taken;
    wanted -= taken;
  }
  return cards;
};
