import type { Card } from '../../../shared/pets/catalogue.ts';
import type { ShownPet } from '../../../shared/pets/shown-pet.ts';
import { boosted, canBoost, cut, dueAtMs, restate } from '../../../shared/work.ts';
import { boostOf, chainEndsAt, workOf } from './pet-time.ts';

/** The effect of cards played at `nowMs`. Instants are the server's epoch milliseconds. */
export interface CardPreview {
  readonly endsAt: number;
  /** How much sooner than without the cards. */
  readonly soonerMs: number;
  /** The part of a cut beyond the remaining work; 0 for other cards. */
  readonly wastedMs: number;
  /** More than a quarter of the cards is wasted: the player must confirm. */
  readonly isWasteful: boolean;
  readonly boostEndsAt?: number;
  readonly autoFeeds?: number;
  /** A refusal that is known here; the server may find others. */
  readonly refusal?: 'boost/other-rate';
}

/** The share of a card that may be wasted without a confirmation. */
const WASTE = 1 / 4;

/** The waste that the player accepts silently: sent along, so that a slow connection cannot waste more. */
export const acceptedWasteMs = (card: Card, count: number): number =>
  card.effect === 'cut' ? Math.floor(card.workMs * count * WASTE) : 0;

export const previewCard = (pet: ShownPet, card: Card, count: number, nowMs: number): CardPreview => {
  const boost = boostOf(pet);
  const atMs = Math.max(nowMs, pet.sinceAt);
  const work = restate(workOf(pet), boost, atMs);
  switch (card.effect) {
    case 'cut': {
      const played = cut(work, card.workMs * count);
      const endsAt = dueAtMs(played.work, boost);
      return {
        endsAt,
        soonerMs: pet.dueAt - endsAt,
        wastedMs: played.wastedMs,
        isWasteful: played.wastedMs > acceptedWasteMs(card, count),
      };
    }
    case 'rate': {
      const longer = boosted(boost, card.rate, card.lastsMs * count, atMs);
      const endsAt = dueAtMs(work, longer);
      return {
        endsAt,
        soonerMs: pet.dueAt - endsAt,
        wastedMs: 0,
        isWasteful: false,
        boostEndsAt: longer.endsAtMs,
        ...(canBoost(boost, card.rate, atMs) ? {} : { refusal: 'boost/other-rate' }),
      };
    }
    case 'repeat': {
      const autoFeeds = pet.autoFeeds + card.times * count;
      return { endsAt: chainEndsAt(pet, autoFeeds), soonerMs: 0, wastedMs: 0, isWasteful: false, autoFeeds };
    }
    default:
      return card satisfies never;
  }
};
