import { z } from 'zod';
import { type Catalogue, defaultCatalogue, isItem } from './catalogue.ts';
import { name, namedOf } from './named.ts';
import { ok, type Result, refused } from './result.ts';

/** A hundred years: keeps every sum of instants and durations far inside whole doubles. */
const MAX_MS = 100 * 366 * 86_400_000;
const durationMs = z.int().min(1).max(MAX_MS);
const count = z.int().min(0).max(1_000_000);

const card = z.discriminatedUnion('effect', [
  z.strictObject({ effect: z.literal('cut'), workMs: durationMs }),
  z.strictObject({ effect: z.literal('rate'), rate: z.int().min(2).max(1000), lastsMs: durationMs }),
  z.strictObject({ effect: z.literal('repeat'), times: z.int().min(1).max(1000) }),
]);

const rulesFile = z.strictObject({
  limits: z
    .strictObject({
      petsPerPlayer: z.int().min(1).max(100),
      autoFeedsPerPet: z.int().min(0).max(1000),
      undoMs: z.int().min(0).max(MAX_MS),
    })
    .partial()
    .optional(),
  species: z.array(name).min(1).max(1000).optional(),
  starter: z.strictObject({ items: namedOf(name, count) }).optional(),
  foods: namedOf(name, z.strictObject({ workMs: durationMs, xp: count })).optional(),
  cards: namedOf(name, card).optional(),
  levels: z
    .array(z.int().min(0))
    .min(1)
    .max(1000)
    .refine((levels) => levels[0] === 0, 'the first level begins at 0 xp')
    .refine((levels) => levels.every((xp, at) => at === 0 || xp > (levels[at - 1] ?? 0)), 'levels must ascend')
    .optional(),
});

/**
 * Reads a rules file over the default catalogue: each part that it names replaces the default's part (`limits` are
 * replaced one by one). Answers every fault at once, each as `path: what is wrong`.
 */
export const parseRules = (json: unknown): Result<Catalogue, readonly string[]> => {
  const parsed = rulesFile.safeParse(json);
  if (!parsed.success) return refused(parsed.error.issues.map(faultLine));
  const rules = parsed.data;
  const catalogue: Catalogue = {
    limits: {
      petsPerPlayer: rules.limits?.petsPerPlayer ?? defaultCatalogue.limits.petsPerPlayer,
      autoFeedsPerPet: rules.limits?.autoFeedsPerPet ?? defaultCatalogue.limits.autoFeedsPerPet,
      undoMs: rules.limits?.undoMs ?? defaultCatalogue.limits.undoMs,
    },
    species: rules.species ?? defaultCatalogue.species,
    starter: rules.starter ?? knownStarter(rules.foods, rules.cards),
    foods: rules.foods ?? defaultCatalogue.foods,
    cards: rules.cards ?? defaultCatalogue.cards,
    levels: rules.levels ?? defaultCatalogue.levels,
  };
  const faults = crossFaults(catalogue);
  return faults.length > 0 ? refused(faults) : ok(catalogue);
};

/** The default starter items, less those that the file's own foods and cards no longer know. */
const knownStarter = (foods: object | undefined, cards: object | undefined): Catalogue['starter'] => {
  const known = (item: string): boolean =>
    Object.hasOwn(foods ?? defaultCatalogue.foods, item) || Object.hasOwn(cards ?? defaultCatalogue.cards, item);
  return { items: Object.fromEntries(Object.entries(defaultCatalogue.starter.items).filter(([item]) => known(item))) };
};

const crossFaults = (catalogue: Catalogue): readonly string[] => [
  ...Object.keys(catalogue.starter.items)
    .filter((item) => !isItem(catalogue, item))
    .map((item) => `starter.items.${item}: is neither a food nor a card`),
  ...Object.keys(catalogue.foods)
    .filter((food) => Object.hasOwn(catalogue.cards, food))
    .map((food) => `foods.${food}: a card has the same name`),
  ...catalogue.species
    .filter((species, at) => catalogue.species.indexOf(species) !== at)
    .map((species) => `species: ${species} is listed twice`),
];

const faultLine = (issue: z.core.$ZodIssue): string => {
  const fault = issue.code === 'invalid_key' ? (issue.issues[0] ?? issue) : issue;
  return `${issue.path.join('.') || 'rules'}: ${fault.message}`;
};
