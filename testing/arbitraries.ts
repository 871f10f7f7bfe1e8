import fc from 'fast-check';
import type { Home } from '../shared/home.ts';
import { countOf } from '../shared/items.ts';
import type { Card, Catalogue } from '../shared/pets/catalogue.ts';
import type { Pet } from '../shared/pets/pet.ts';
import { petsOf } from '../shared/pets/pet.ts';
import type { Command, CommandType } from '../shared/pets/protocol.ts';

/**
 * A command before it is applied to a home. Pets and items are indices, so that it fits every home and catalogue:
 * `commandOf` makes the command.
 */
export interface CommandSketch {
  readonly type: CommandType;
  readonly pet: number;
  readonly item: number;
  /** Prefers pets and items with which the command can succeed, if there are any. */
  readonly isApt: boolean;
  readonly count: number | undefined;
  /** The feeding that it names. */
  readonly feeding: 'none' | 'current' | 'earlier';
  readonly maxWastedMs: number | undefined;
}

export interface Step {
  readonly afterMs: number;
  readonly command: CommandSketch;
}
export type History = readonly Step[];

const below = (max: number) => fc.integer({ min: 1, max });
const cards: fc.Arbitrary<Record<string, Card>> = fc.record({
  cut: fc.record({ effect: fc.constant('cut'), workMs: below(9) }),
  gulp: fc.record({ effect: fc.constant('cut'), workMs: below(3) }),
  fast: fc.record({ effect: fc.constant('rate'), rate: fc.constant(2), lastsMs: below(12) }),
  faster: fc.record({ effect: fc.constant('rate'), rate: fc.integer({ min: 2, max: 5 }), lastsMs: below(6) }),
  again: fc.record({ effect: fc.constant('repeat'), times: fc.constant(1) }),
  often: fc.record({ effect: fc.constant('repeat'), times: below(3) }),
});
const food = fc.record({ workMs: below(12), xp: fc.nat(5) });
const stock = fc.nat(8);
const scarce = fc.nat(4);

/** Rules with numbers so small that boundaries, ties and shortages are frequent. */
export const catalogueArbitrary: fc.Arbitrary<Catalogue> = fc.record({
  limits: fc.record({
    petsPerPlayer: fc.integer({ min: 2, max: 4 }),
    autoFeedsPerPet: fc.nat(9),
    undoMs: fc.nat(4),
    // Less than two of the longest cards.
    boostMs: fc.constant(16),
  }),
  species: fc.constant(['dog', 'cat']),
  starter: fc.record({
    items: fc.record({
      hay: scarce,
      treat: scarce,
      cut: stock,
      gulp: stock,
      fast: stock,
      faster: stock,
      again: stock,
      often: stock,
    }),
  }),
  foods: fc.record({ hay: food, treat: food }),
  cards,
  levels: fc.constant([0, 3, 9]),
});

const type: fc.Arbitrary<CommandType> = fc.oneof(
  { weight: 3, arbitrary: fc.constant('home:adopt') },
  { weight: 7, arbitrary: fc.constant('home:feed') },
  { weight: 14, arbitrary: fc.constant('home:use-card') },
  { weight: 2, arbitrary: fc.constant('home:disarm') },
  { weight: 1, arbitrary: fc.constant('home:stop') },
  { weight: 1, arbitrary: fc.constant('home:release') },
  { weight: 4, arbitrary: fc.constant('home:grant') },
  { weight: 2, arbitrary: fc.constant('home:take') },
);
/** Of any pool, by the remainder: all of up to ten are equally frequent, and of many none is left out. */
const anyIndex = fc.nat(2519);
const mostlyNone = <Value>(arbitrary: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

/** Commands that mostly fit: with existing pets, items and feedings. */
export const commandArbitrary: fc.Arbitrary<CommandSketch> = fc.record({
  type,
  pet: fc.nat(3),
  item: fc.oneof({ weight: 30, arbitrary: anyIndex }, { weight: 1, arbitrary: fc.constant(-1) }),
  isApt: fc.integer({ min: 0, max: 7 }).map((chance) => chance > 0),
  count: mostlyNone(below(3)),
  feeding: fc.oneof(
    { weight: 6, arbitrary: fc.constant('none' as const) },
    { weight: 2, arbitrary: fc.constant('current' as const) },
    { weight: 1, arbitrary: fc.constant('earlier' as const) },
  ),
  maxWastedMs: mostlyNone(fc.nat(5)),
});

/** Acts of a player, and waits. `unitMs` scales the waits: 1 for the small catalogues, half an hour for real ones. */
export const historyArbitraryOf = (options: { readonly unitMs: number; readonly maxSteps: number }) => {
  const wait = fc.oneof(
    { weight: 8, arbitrary: fc.constant(0) },
    { weight: 8, arbitrary: below(5) },
    { weight: 2, arbitrary: below(40) },
  );
  return fc.array(fc.record({ afterMs: wait.map((units) => units * options.unitMs), command: commandArbitrary }), {
    maxLength: options.maxSteps,
    size: 'max',
  });
};

export const historyArbitrary: fc.Arbitrary<History> = historyArbitraryOf({ unitMs: 1, maxSteps: 40 });

/** The command of the sketch in this home. */
export const commandOf = (sketch: CommandSketch, catalogue: Catalogue, home: Home): Command => {
  const { count, isApt } = sketch;
  const type = isApt ? aptType(sketch.type, home) : sketch.type;
  const pet = pickBy(petsOf(home), sketch.pet, isApt, (some) => isFitFor(type, some));
  const petId = pet?.petId ?? 'nobody';
  const feedingId = pet && feedingOf(sketch.feeding, pet);
  const itemOf = (names: readonly string[]): string =>
    (sketch.item < 0 ? undefined : pickBy(names, sketch.item, isApt, (name) => countOf(home.items, name) > 0)) ??
    'no-such-item';
  const waitingFor = petsOf(home).flatMap((some) => (some.blockedAtMs === undefined ? [] : some.lastFeeding?.food));
  const grantOf = (names: readonly string[]): string =>
    pickBy(names, sketch.item, isApt, (name) => waitingFor.includes(name)) ?? 'no-such-item';
  const foods = Object.keys(catalogue.foods);
  const cardNames = Object.keys(catalogue.cards);
  switch (type) {
    case 'home:adopt':
      return {
        type,
        name: `pet ${sketch.pet}`,
        species: pickBy(catalogue.species, sketch.item, false, () => true) ?? '?',
      };
    case 'home:feed':
      return { type, petId, food: itemOf(foods) };
    case 'home:use-card':
      return { type, petId, card: itemOf(cardNames), count, feedingId, maxWastedMs: sketch.maxWastedMs };
    case 'home:disarm':
      return { type, petId, count };
    case 'home:stop':
      return { type, petId, feedingId };
    case 'home:release':
      return { type, petId };
    case 'home:grant':
      return { type, items: { [grantOf([...foods, ...cardNames])]: count ?? 1 }, reason: 'play' };
    case 'home:take':
      return { type, items: { [itemOf([...foods, ...cardNames])]: count ?? 1 }, reason: 'play' };
    default:
      return type satisfies never;
  }
};

/** Without a pet the best command is to adopt one, without an eating pet to feed one. */
const aptType = (type: CommandType, home: Home): CommandType => {
  if (type === 'home:grant') return type;
  if (petsOf(home).length === 0) return 'home:adopt';
  const needsPet = type === 'home:use-card' || type === 'home:stop' || type === 'home:disarm';
  return needsPet && !petsOf(home).some((pet) => isFitFor(type, pet)) ? 'home:feed' : type;
};

const pickBy = <Some>(
  all: readonly Some[],
  index: number,
  isApt: boolean,
  isFit: (some: Some) => boolean,
): Some | undefined => {
  const fit = isApt ? all.filter(isFit) : [];
  const pool = fit.length > 0 ? fit : all;
  return pool[index % Math.max(1, pool.length)];
};

const isFitFor = (type: CommandType, pet: Pet): boolean => {
  if (type === 'home:disarm') return pet.armed.length > 0;
  if (type === 'home:feed') return pet.feeding === undefined;
  return pet.feeding !== undefined;
};

const feedingOf = (which: CommandSketch['feeding'], pet: Pet): string | undefined => {
  if (which === 'none') return undefined;
  return which === 'current' ? pet.feeding?.feedingId : pet.lastFeeding?.feedingId;
};
