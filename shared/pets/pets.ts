import { countOf, ownEntry } from '../items.ts';
import { isBeyondTheClock } from '../latest-ms.ts';
import { type Asked, defineModule, type HappenedOf, type Refusal, type Turn } from '../module/module.ts';
import { ok, type Result, refused } from '../result.ts';
import { workUntil } from '../work.ts';
import type { Catalogue } from './catalogue.ts';
import { isAnother, notEating, outOfStock, type PetPayload, petCommands, tooLong, unknownPet } from './commands.ts';
import { petEvents } from './events.ts';
import { evolvePet } from './evolve-pet.ts';
import { arrivedPet, dueIfBegun, dueOf, type PetDraft, startedFeeding, stopped, takenBack } from './feeding.ts';
import { autoFeedsOf, hasFood, initialPet, type Meal, PETS, type Pet, petThing, wholeCards } from './pet.ts';
import { playPetCard } from './play-card.ts';
import { petsConfig, petsFaults } from './rules-file.ts';
import { petWords } from './words.ts';

type Decided = readonly PetDraft[] | Refusal;
type AskedFor<Payload> = Asked<Pet, Payload, Catalogue>;

/** Pets that eat: the first module, older than the names in `wire`. `json` is the source of the catalogue. */
export const petsOfRules = (catalogue: Catalogue, json: unknown = catalogue) => ({
  ...petsModule({}),
  given: { json, config: catalogue },
  wire,
  catalogue,
});

export type Pets = ReturnType<typeof petsOfRules>;

/** Names that clients know from the time before modules. */
const wire = {
  messages: 'home',
  events: '',
  timer: 'feeding',
  thing: 'petId',
  run: 'feedingId',
  ids: 'p',
} as const;

type Any = PetPayload<keyof typeof petCommands>;

const ofPet = <Payload extends Extract<Any, { petId: string }>>(
  { payload, things }: AskedFor<Payload>,
  decide: (pet: Pet) => Decided,
): Decided => {
  const pet = Object.hasOwn(things, payload.petId) ? things[payload.petId] : undefined;
  return pet ? decide(pet) : unknownPet(payload.petId);
};

const adopt = ({ payload, things, newId, config, refuse }: AskedFor<PetPayload<'adopt'>>): Decided => {
  const { species } = payload;
  if (!config.species.includes(species)) return refuse('species/unknown', { species });
  const name = petName(payload.name);
  if (!name.ok) return name.error;
  const limit = config.limits.petsPerPlayer;
  if (Object.keys(things).length >= limit) return refuse('pet/limit', { limit });
  return [{ type: 'pet-adopted', thing: newId, name: name.value, species }];
};

const feed = (asked: AskedFor<PetPayload<'feed'>>, pet: Pet): Decided => {
  const { payload, items, nowMs, config, refuse } = asked;
  const food = ownEntry(config.foods, payload.food);
  if (!food) return refuse('item/unknown', { item: payload.food });
  if (pet.feeding) return refuse('pet/eating', { petId: pet.petId, feedingId: pet.feeding.feedingId });
  if (countOf(items, payload.food) < 1) return outOfStock(items, payload.food, 1);
  const dueAt = dueIfBegun(food, pet.boost, nowMs);
  if (isBeyondTheClock(dueAt)) return tooLong(dueAt);
  const meal = { food: payload.food, ...food };
  return [startedFeeding(asked, pet, { meal, by: 'hand', seq: asked.nextSeq })];
};

/** The newest cards go back first; a partly used card stays, with its remaining feedings. */
const disarm = ({ payload, refuse }: AskedFor<PetPayload<'disarm'>>, pet: Pet): Decided => {
  const { petId } = pet;
  const have = pet.armed.reduce((sum, armed) => sum + wholeCards(armed), 0);
  const count = payload.count ?? have;
  const autoFeeds = autoFeedsOf(pet);
  if (have === 0 && autoFeeds > 0) return refuse('card/partly-used', { petId, autoFeeds });
  if (count < 1 || count > have) return refuse('item/out-of-stock', { petId, have, need: Math.max(1, count) });
  return [{ type: 'auto-feed-disarmed', thing: petId, ...takenBack(pet, count) }];
};

const stop = ({ payload, nowMs, config }: AskedFor<PetPayload<'stop'>>, pet: Pet): Decided => {
  const { feeding } = pet;
  if (!feeding || isAnother(pet, payload.feedingId)) return notEating(pet, payload.feedingId);
  return [stopped(config.limits.undoMs, { pet, feeding, nowMs })];
};

/** Stops the feeding and removes the pet. Unused cards on it go back to the items; a partly used one is lost. */
const release = ({ nowMs, config }: AskedFor<PetPayload<'release'>>, pet: Pet): Decided => {
  const { feeding, petId } = pet;
  const back = takenBack(pet);
  const gone: PetDraft = { type: 'pet-released', thing: petId };
  if (feeding) return [stopped(config.limits.undoMs, { pet, feeding, nowMs }), gone];
  return Object.keys(back.items).length > 0 ? [{ type: 'auto-feed-disarmed', thing: petId, ...back }, gone] : [gone];
};

/** A chain repeats the feeding at once, or waits for its food. */
const complete = (turn: Turn<Pet>): readonly PetDraft[] => {
  const { thing: pet, items } = turn;
  const { feeding } = pet;
  if (!feeding) return [];
  const { feedingId, xp, food } = feeding;
  const done: PetDraft = { type: 'feeding-completed', thing: pet.petId, feedingId, xp, totalXp: pet.xp + xp };
  if (pet.armed.length === 0) return [done];
  if (!hasFood(items, food)) return [done, { type: 'auto-feed-blocked', thing: pet.petId, food }];
  return [done, ...nextOfChain(turn, feeding, turn.nextSeq + 1)];
};

/** A chain ends at the clock's end: its cards stay armed, and can be disarmed. */
const nextOfChain = (turn: Turn<Pet>, meal: Meal, seq: number): readonly PetDraft[] =>
  hasFood(turn.items, meal.food) && !isBeyondTheClock(dueIfBegun(meal, turn.thing.boost, turn.nowMs))
    ? [startedFeeding(turn, turn.thing, { meal, by: 'card', seq })]
    : [];

type Own = HappenedOf<typeof petEvents>;

/** `dueAt`: the pet's new due time, 0 if it stopped eating; missing if no event changes it. */
const reply = (events: readonly Own[]): object => {
  const [first] = events;
  if (!first) return {};
  const due = dueAfter(events, first.thing);
  return {
    petId: first.thing,
    ...('feedingId' in first && { feedingId: first.feedingId }),
    ...(due !== undefined && { dueAt: due }),
    ...(first.type === 'card-used' && first.wastedMs !== undefined && { wastedMs: first.wastedMs }),
  };
};

const dueAfter = (events: readonly Own[], petId: string): number | undefined => {
  let due: number | undefined;
  for (const event of events) {
    if (event.thing !== petId) continue;
    if ('dueAt' in event) due = event.dueAt;
    else if (event.type === 'feeding-completed' || event.type === 'feeding-stopped') due = 0;
  }
  return due;
};

const MAX_CHARACTERS = 32;
/** Control, unassigned and private characters, lone surrogates, line breaks, and marks that turn text. */
const UNFIT = /[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u;
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** The stored form of a name: trimmed, in one normal form. Refused if it is empty, too long, or not fit to show. */
export const petName = (asked: string): Result<string, Refusal> => {
  const name = asked.trim().normalize('NFC');
  if (!VISIBLE.test(name)) return unfit('empty');
  if ([...name].length > MAX_CHARACTERS) return unfit('too-long', { max: MAX_CHARACTERS });
  if (UNFIT.test(name)) return unfit('characters');
  return ok(name);
};

const unfit = (why: string, params: object = {}): Result<never, Refusal> =>
  refused({ code: 'name/refused', params: { why, ...params } });

/** Below the rules that it names. */
const petsModule = defineModule({
  name: PETS,
  thing: petThing,
  initial: initialPet,
  config: petsConfig,
  configFaults: petsFaults,
  items: ({ foods, cards }) => [...Object.keys(foods), ...Object.keys(cards)],
  events: petEvents,
  commands: petCommands,
  // The most pets that rules can allow, and as many again from a merged guest.
  maxThings: 10_000,
  wire,
}).rules({
  decide: {
    adopt,
    feed: (asked) => ofPet(asked, (pet) => feed(asked, pet)),
    'use-card': (asked) => ofPet(asked, (pet) => playPetCard(asked, pet)),
    disarm: (asked) => ofPet(asked, (pet) => disarm(asked, pet)),
    stop: (asked) => ofPet(asked, (pet) => stop(asked, pet)),
    release: (asked) => ofPet(asked, (pet) => release(asked, pet)),
  },
  evolve: evolvePet,
  dueAtMs: dueOf,
  complete,
  waitingSinceMs: ({ blockedAtMs }) => blockedAtMs,
  goOn: (turn) => (turn.thing.lastFeeding ? nextOfChain(turn, turn.thing.lastFeeding, turn.nextSeq) : []),
  starter: ({ starter }) => starter.items,
  shift: (turn) => {
    const { thing: pet, run, byMs, by, reason, nowMs } = turn;
    if (!pet.feeding || isAnother(pet, run)) return notEating(pet, run);
    const dueAt = Math.max(nowMs, (dueOf(pet) ?? nowMs) + byMs);
    if (isBeyondTheClock(dueAt)) return tooLong(dueAt);
    const { feedingId } = pet.feeding;
    const workLeftMs = workUntil(nowMs, pet.boost, dueAt);
    return [{ type: 'feeding-shifted', thing: turn.id, feedingId, byMs, workLeftMs, dueAt, by, reason }];
  },
  stop: ({ thing: pet, run, by, reason, nowMs, config }) => {
    if (!pet.feeding || isAnother(pet, run)) return notEating(pet, run);
    return [{ ...stopped(config.limits.undoMs, { pet, feeding: pet.feeding, nowMs }), by, reason }];
  },
  arrive: ({ thing, newId, playerId, nextSeq }) => [arrivedPet(thing, { petId: newId, playerId, seq: nextSeq })],
  run: ({ feeding }, id) => feeding?.feedingId ?? id,
  title: ({ name }) => name,
  words: petWords,
  limit: ({ limits }) => limits.petsPerPlayer,
  reply,
});
