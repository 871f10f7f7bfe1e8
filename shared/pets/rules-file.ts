import { z } from 'zod';
import { readModuleConfig } from '../module/config.ts';
import { ok, type Result } from '../result.ts';
import { duration, durationMsOf, guarded, name, namedOf } from '../rule-shapes.ts';
import { type Catalogue, defaultCatalogue } from './catalogue.ts';

/** A hundred years: then every sum of instants and durations is an exact double. */
const durationMs = duration(36_600);
/** Due times end in 2109 (`LATEST_MS`), so every meal that begins before 2099 has one. */
const mealMs = duration(3660);
const count = z.int().min(0).max(1_000_000);

const card = z.discriminatedUnion('effect', [
  z.strictObject({ effect: z.literal('cut'), workMs: durationMs }),
  z.strictObject({ effect: z.literal('rate'), rate: z.int().min(2).max(1000), lastsMs: durationMs }),
  z.strictObject({ effect: z.literal('repeat'), times: z.int().min(1).max(1000) }),
]);

/** The content of the file: JSON Schema in docs/schemas. */
export const rulesFile = z.strictObject({
  $schema: z.string().optional(),
  limits: z
    .strictObject({
      petsPerPlayer: z.int().min(1).max(100),
      autoFeedsPerPet: z.int().min(0).max(1000),
      undoMs: z.union([z.literal(0), durationMs]),
      boostMs: durationMs,
    })
    .partial()
    .optional(),
  species: guarded(z.array(name).min(1).max(1000)).optional(),
  starter: z.strictObject({ items: namedOf(name, count) }).optional(),
  foods: namedOf(name, z.strictObject({ workMs: mealMs, xp: count })).optional(),
  cards: namedOf(name, card).optional(),
  levels: guarded(
    z
      .array(z.int().min(0))
      .min(1)
      .max(1000)
      .refine((levels) => levels[0] === 0, 'the first level begins at 0 xp')
      .refine((levels) => levels.every((xp, at) => at === 0 || xp > (levels[at - 1] ?? 0)), 'levels must ascend'),
  ).optional(),
});

/** A rules file over the default catalogue: each part in it replaces the default's part (`limits` one by one). */
export const petsConfig = rulesFile.transform(
  (rules): Catalogue => ({
    limits: {
      petsPerPlayer: rules.limits?.petsPerPlayer ?? defaultCatalogue.limits.petsPerPlayer,
      autoFeedsPerPet: rules.limits?.autoFeedsPerPet ?? defaultCatalogue.limits.autoFeedsPerPet,
      undoMs: rules.limits?.undoMs ?? defaultCatalogue.limits.undoMs,
      boostMs: rules.limits?.boostMs ?? defaultCatalogue.limits.boostMs,
    },
    species: rules.species ?? defaultCatalogue.species,
    starter: rules.starter ?? knownStarter(rules.foods, rules.cards),
    foods: rules.foods ?? defaultCatalogue.foods,
    cards: rules.cards ?? defaultCatalogue.cards,
    levels: rules.levels ?? defaultCatalogue.levels,
  }),
);

/** Faults between parts that are valid by themselves. */
export const petsFaults = (json: unknown): readonly string[] => faultsBetween(outlineOf(json));

/** Reads a rules file. Returns all faults at once, each as `path: what is wrong`. */
export const parseRules = (json: unknown): Result<Catalogue, readonly string[]> => {
  const read = readModuleConfig({ name: 'pets', config: petsConfig, configFaults: petsFaults }, json);
  return read.ok ? ok(read.value.config as Catalogue) : read;
};

/** The default starter items, without those that the file's own foods and cards lack. */
const knownStarter = (foods: object | undefined, cards: object | undefined): Catalogue['starter'] => {
  const known = (item: string): boolean =>
    Object.hasOwn(foods ?? defaultCatalogue.foods, item) || Object.hasOwn(cards ?? defaultCatalogue.cards, item);
  return { items: Object.fromEntries(Object.entries(defaultCatalogue.starter.items).filter(([item]) => known(item))) };
};

/** The parts of a file that are compared with each other, as far as they are readable despite other faults. */
interface Outline {
  /** The names of its foods and cards; undefined if unreadable. */
  readonly foods: Named | undefined;
  readonly cards: Named | undefined;
  readonly starter: Named;
  readonly species: readonly unknown[];
  readonly boostMs: number;
  readonly autoFeeds: number;
}
type Named = Readonly<Record<string, unknown>>;

const outlineOf = (json: unknown): Outline => {
  const file = isNamed(json) ? json : {};
  const named = (part: 'foods' | 'cards'): Named | undefined => {
    const own = file[part] ?? defaultCatalogue[part];
    return isNamed(own) ? own : undefined;
  };
  const { starter, species, limits } = file;
  const items = isNamed(starter) ? starter.items : undefined;
  const { boostMs, autoFeedsPerPet } = isNamed(limits) ? limits : {};
  return {
    foods: named('foods'),
    cards: named('cards'),
    starter: isNamed(items) ? items : {},
    species: Array.isArray(species) ? species : [],
    boostMs: durationMsOf(boostMs) ?? defaultCatalogue.limits.boostMs,
    autoFeeds: typeof autoFeedsPerPet === 'number' ? autoFeedsPerPet : defaultCatalogue.limits.autoFeedsPerPet,
  };
};

const isNamed = (value: unknown): value is Named =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const faultsBetween = ({ foods, cards, starter, species, boostMs, autoFeeds }: Outline): readonly string[] => {
  const isKnown = (item: string): boolean =>
    foods === undefined || cards === undefined || Object.hasOwn(foods, item) || Object.hasOwn(cards, item);
  const seen = new Set<unknown>();
  return [
    ...Object.keys(starter)
      .filter((item) => !isKnown(item))
      .map((item) => `starter.items.${item}: is neither a food nor a card`),
    ...Object.keys(foods ?? {})
      .filter((food) => Object.hasOwn(cards ?? {}, food))
      .map((food) => `foods.${food}: a card has the same name`),
    ...species
      .filter((one) => typeof one === 'string' && seen.size === seen.add(one).size)
      .map((one) => `species: ${one} is listed twice`),
    ...Object.entries(cards ?? {})
      .filter(([, card]) => isNamed(card) && card.effect === 'rate' && (durationMsOf(card.lastsMs) ?? 0) > boostMs)
      .map(([card]) => `cards.${card}.lastsMs: is more than limits.boostMs (${boostMs}) allows: no one could play it`),
    // 0 switches these cards off.
    ...Object.entries(cards ?? {})
      .filter(
        ([, card]) => isNamed(card) && card.effect === 'repeat' && autoFeeds > 0 && Number(card.times) > autoFeeds,
      )
      .map(
        ([card]) =>
          `cards.${card}.times: is more than limits.autoFeedsPerPet (${autoFeeds}) allows: no one could play it`,
      ),
  ];
};
