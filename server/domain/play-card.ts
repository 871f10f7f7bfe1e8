import { type Card, entryOf } from '../../shared/catalogue.ts';
import type { EventBody } from '../../shared/event.ts';
import { autoFeedsOf, countOf, type Feeding, type Pet } from '../../shared/home.ts';
import { type CommandOf, type Rejection, reject } from '../../shared/protocol.ts';
import { ok, type Result, refused } from '../../shared/result.ts';
import { boosted, canBoost, cut, dueAtMs, restate } from '../../shared/work.ts';
import { draftOf } from './draft.ts';
import { isAnother, notEating, outOfStock } from './refusals.ts';
import type { Decision, Scene } from './scene.ts';

/** Plays `count` cards of one kind at once, all or none. */
export const playCard = (scene: Scene<CommandOf<'home:use-card'>>, pet: Pet): Decision => {
  const { catalogue, home, command, commandId, nowMs } = scene;
  const card = entryOf(catalogue.cards, command.card);
  if (!card) return refused(reject('item/unknown', { item: command.card }));
  const { feeding } = pet;
  if (!feeding || isAnother(pet, command.feedingId)) return refused(notEating(pet, command.feedingId));
  const count = command.count ?? 1;
  if (countOf(home.items, command.card) < count) return refused(outOfStock(home, command.card, count));
  const effect = effectOf({ scene, pet, feeding, card, count });
  if (!effect.ok) return effect;
  const draft = draftOf(home, commandId);
  draft.add(nowMs, {
    type: 'card-used',
    petId: pet.petId,
    feedingId: feeding.feedingId,
    card: command.card,
    count,
    ...effect.value,
    items: { [command.card]: -count },
  });
  return ok(draft.events());
};

interface Play {
  readonly scene: Scene<CommandOf<'home:use-card'>>;
  readonly pet: Pet;
  readonly feeding: Feeding;
  readonly card: Card;
  readonly count: number;
}

type Effect = Omit<
  Extract<EventBody, { type: 'card-used' }>,
  'type' | 'petId' | 'feedingId' | 'card' | 'count' | 'items'
>;

const effectOf = (play: Play): Result<Effect, Rejection> => {
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

const cutEffect = ({ scene, pet, feeding, count }: Play, workMs: number): Result<Effect, Rejection> => {
  const { command, nowMs } = scene;
  const { work, wastedMs } = cut(restate(feeding.work, pet.boost, nowMs), workMs * count);
  if (command.maxWastedMs !== undefined && wastedMs > command.maxWastedMs) {
    return refused(reject('card/would-waste', { wastedMs, maxWastedMs: command.maxWastedMs }));
  }
  return ok({ effect: 'cut', workLeftMs: work.leftMs, dueAt: dueAtMs(work, pet.boost), wastedMs });
};

const rateEffect = ({ scene, pet, feeding, count }: Play, rate: number, lastsMs: number): Result<Effect, Rejection> => {
  const { catalogue, nowMs } = scene;
  if (!canBoost(pet.boost, rate, nowMs)) {
    return refused(reject('boost/other-rate', { rate: pet.boost?.rate, endsAt: pet.boost?.endsAtMs }));
  }
  const work = restate(feeding.work, pet.boost, nowMs);
  const boost = boosted(pet.boost, rate, lastsMs * count, nowMs);
  const maxMs = catalogue.limits.boostMs;
  if (boost.endsAtMs - nowMs > maxMs) return refused(reject('boost/too-long', { endsAt: boost.endsAtMs, maxMs }));
  return ok({
    effect: 'rate',
    workLeftMs: work.leftMs,
    dueAt: dueAtMs(work, boost),
    boostRate: boost.rate,
    boostEndsAt: boost.endsAtMs,
  });
};

const repeatEffect = ({ scene, pet, feeding, count }: Play, times: number): Result<Effect, Rejection> => {
  const { catalogue, nowMs } = scene;
  const autoFeeds = autoFeedsOf(pet) + times * count;
  const max = catalogue.limits.autoFeedsPerPet;
  if (autoFeeds > max) return refused(reject('pet/auto-feeds-full', { petId: pet.petId, have: autoFeedsOf(pet), max }));
  const work = restate(feeding.work, pet.boost, nowMs);
  return ok({ effect: 'repeat', workLeftMs: work.leftMs, dueAt: dueAtMs(work, pet.boost), autoFeeds });
};
