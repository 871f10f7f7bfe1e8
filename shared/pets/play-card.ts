import { countOf, ownEntry } from '../items.ts';
import type { Asked, Refusal } from '../module/module.ts';
import { ok, type Result, refused } from '../result.ts';
import { boosted, canBoost, cut, dueAtMs, restate } from '../work.ts';
import type { Card, Catalogue } from './catalogue.ts';
import type { PetPayload } from './commands.ts';
import { isAnother, notEating, outOfStock } from './commands.ts';
import type { PetDraft } from './feeding.ts';
import { autoFeedsOf, type Feeding, type Pet } from './pet.ts';

type AskedCard = Asked<Pet, PetPayload<'use-card'>, Catalogue>;

/** Plays `count` cards of one kind at once, all or none. */
export const playPetCard = (asked: AskedCard, pet: Pet): readonly PetDraft[] | Refusal => {
  const { payload, items, config, refuse } = asked;
  const card = ownEntry(config.cards, payload.card);
  if (!card) return refuse('item/unknown', { item: payload.card });
  const { feeding } = pet;
  if (!feeding || isAnother(pet, payload.feedingId)) return notEating(pet, payload.feedingId);
  const count = payload.count ?? 1;
  if (countOf(items, payload.card) < count) return outOfStock(items, payload.card, count);
  const effect = effectOf({ asked, pet, feeding, card, count });
  if (!effect.ok) return effect.error;
  return [
    {
      type: 'card-used',
      thing: pet.petId,
      feedingId: feeding.feedingId,
      card: payload.card,
      count,
      ...effect.value,
      items: { [payload.card]: -count },
    },
  ];
};

interface Play {
  readonly asked: AskedCard;
  readonly pet: Pet;
  readonly feeding: Feeding;
  readonly card: Card;
  readonly count: number;
}

type Effect = Omit<
  Extract<PetDraft, { type: 'card-used' }>,
  'type' | 'thing' | 'feedingId' | 'card' | 'count' | 'items'
>;

const effectOf = (play: Play): Result<Effect, Refusal> => {
  const { card } = play;
  switch (card.effect) {
    case 'cut':
      return cutEffect(play, card.workMs);
    case 'rate':
      return rateEffect(play, card.rate, card.lastsMs);
    case 'repeat':
      return repeatEffect(play, card.times);
    default:
      return card satisfies never;
  }
};

const cutEffect = ({ asked, pet, feeding, count }: Play, workMs: number): Result<Effect, Refusal> => {
  const { payload, nowMs, refuse } = asked;
  const { work, wastedMs } = cut(restate(feeding.work, pet.boost, nowMs), workMs * count);
  if (payload.maxWastedMs !== undefined && wastedMs > payload.maxWastedMs) {
    return refused(refuse('card/would-waste', { wastedMs, maxWastedMs: payload.maxWastedMs }));
  }
  return ok({ effect: 'cut', workLeftMs: work.leftMs, dueAt: dueAtMs(work, pet.boost), wastedMs });
};

const rateEffect = ({ asked, pet, feeding, count }: Play, rate: number, lastsMs: number): Result<Effect, Refusal> => {
  const { nowMs, config, refuse } = asked;
  if (!canBoost(pet.boost, rate, nowMs)) {
    return refused(refuse('boost/other-rate', { rate: pet.boost?.rate, endsAt: pet.boost?.endsAtMs }));
  }
  const work = restate(feeding.work, pet.boost, nowMs);
  const boost = boosted(pet.boost, rate, lastsMs * count, nowMs);
  const maxMs = config.limits.boostMs;
  if (boost.endsAtMs - nowMs > maxMs) return refused(refuse('boost/too-long', { endsAt: boost.endsAtMs, maxMs }));
  return ok({
    effect: 'rate',
    workLeftMs: work.leftMs,
    dueAt: dueAtMs(work, boost),
    boostRate: boost.rate,
    boostEndsAt: boost.endsAtMs,
  });
};

const repeatEffect = ({ asked, pet, feeding, count }: Play, times: number): Result<Effect, Refusal> => {
  const { nowMs, config, refuse } = asked;
  const autoFeeds = autoFeedsOf(pet) + times * count;
  const max = config.limits.autoFeedsPerPet;
  if (autoFeeds > max) return refused(refuse('pet/auto-feeds-full', { petId: pet.petId, have: autoFeedsOf(pet), max }));
  const work = restate(feeding.work, pet.boost, nowMs);
  return ok({ effect: 'repeat', workLeftMs: work.leftMs, dueAt: dueAtMs(work, pet.boost), autoFeeds });
};
