import type { Card } from '../../../shared/pets/catalogue.ts';
import type { ShownPet } from '../../../shared/pets/shown-pet.ts';
import { boosted, canBoost, cut, dueAtMs, restate } from '../../../shared/work.ts';
import { boostOf, chainEndsAt, workOf } from './pet-time.ts';

/** What cards would do if they were played at `nowMs`. Instants are the server's epoch milliseconds. */
export interface CardPreview {
  readonly endsAt: number;
  /** How much sooner than without them. */
  readonly soonerMs: number;
  /** Work that a cut has and the feeding has not; 0 for other cards. */
  readonly wastedMs: number;
  /** More than a quarter of the cards is wasted: the player is asked. */
  readonly isWasteful: boolean;
  readonly boostEndsAt?: number;
  readonly autoFeeds?: number;
  /** Known here already; the server may find more. */
  readonly refusal?: 'boost/other-rate';
}

/** How much of a card may be wasted without asking. */
const WASTE = 1 / 4;

/** What the player accepts without being asked: sent along, so that a slow connection cannot waste more. */
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
