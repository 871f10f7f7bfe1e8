import { z } from 'zod';
import { readModuleConfig } from '../module/config.ts';
import { ok, type Result } from '../result.ts';
import { duration, guarded, name, namedOf } from '../rule-shapes.ts';
import { isText } from '../text.ts';
import type { Needs } from './at-level.ts';
import { atMost } from './at-most.ts';
import type { Gives } from './draw.ts';
import { faultsBetween } from './faults-between.ts';
import { timed, windows } from './window.ts';

/** Due times end in 2109 (`LATEST_MS`), so every run that begins before 2099 has one. */
const MAX_WORK_DAYS = 3660;
/** Then every sum of instants and durations is an exact double. */
const MAX_DAYS = 36_600;
/** How long a rate may last, with any number of cards. */
export const MAX_BOOST_DAYS = 365;
/** A share in ten-thousandths: so `floor(count * share)` is exact, which it is not in doubles. */
export const WHOLE = 10_000;

/** The most things of one name. */
const MOST_OF_ONE = 1000;
/** So that a thing's level stays a whole number. */
const MOST_LEVELS = 1_000_000;
/** Each is an event after a player's absence. */
const MOST_HELD = 10_000;

/** A count in a stock. */
const count = z.int().min(0);
/** So that starters of several modules can be added, and any number between two of them can be drawn. */
const startCount = z.int().min(0).max(1_000_000_000_000_000);
const item = name.refine((text) => text !== 'level', 'level is no item: a thing has it');
const items = namedOf(item, count);
const described = { description: z.string().max(2000).refine(isText, 'has characters that are not text').optional() };
/** Fields of all parts that players order, with opening hours. */
const common = { ...described, ...timed };
const isFourDecimals = (share: number): boolean => Math.abs(share * WHOLE - Math.round(share * WHOLE)) < 1e-6;

/** A fixed amount, or a range from which one is drawn at the end. */
const amount = z.union([
  count,
  z
    .tuple([startCount, startCount])
    .refine(([from, to]) => from <= to, 'is from more than to: write the smaller one first'),
]);
/** `z.record` has one type for all names. */
const gives = namedOf(name, amount) as unknown as z.ZodType<Gives, Gives>;

const MOST_PRIZES = 1000;
const oneOf = z.strictObject({
  name,
  of: guarded(
    z
      .array(
        z.strictObject({
          weight: z.int().min(0).max(1_000_000_000),
          gives,
          atLatest: z.int().min(1).max(1_000_000).optional(),
        }),
      )
      .max(MOST_PRIZES)
      .refine((of) => of.some(({ weight }) => weight > 0), 'has no weight above 0: nothing could be drawn'),
  ),
});

/** One value for every level, or a list: the value at level 0, 1, 2 ... */
const perLevel = <Entry extends z.ZodType>(entry: Entry) => z.union([entry, guarded(z.array(entry).min(1).max(1000))]);

const needs = guarded(z.object({ items: items.optional() }).catchall(z.int().min(0).max(1000))) as z.ZodType<
  Needs,
  Needs
>;

const activity = z.strictObject({
  ...common,
  on: guarded(z.array(name).min(1).max(1000)),
  slot: name.optional(),
  /** Missing: it takes no time. */
  workMs: perLevel(duration(MAX_WORK_DAYS)).optional(),
  takes: perLevel(items).optional(),
  gives: perLevel(
    gives.refine(({ level = 0 }) => level <= MOST_LEVELS, `level rises by ${MOST_LEVELS} at most`),
  ).optional(),
  /** At its end it also gives one of these. */
  oneOf: oneOf.optional(),
  needs: perLevel(needs).optional(),
  atMost: atMost.optional(),
  collect: z.boolean().optional(),
  /** How many ends of an auto, collected activity the thing holds before it waits for the collect. */
  holds: z.int().min(2).max(MOST_HELD).optional(),
  consumes: z.boolean().optional(),
  auto: z.boolean().optional(),
  below: namedOf(item, z.int().min(1)).optional(),
});

const card = z.discriminatedUnion('effect', [
  z.strictObject({ ...common, effect: z.literal('finish'), msEach: duration(MAX_DAYS) }),
  z.strictObject({ ...common, effect: z.literal('cut'), workMs: duration(MAX_DAYS) }),
  z.strictObject({
    ...common,
    effect: z.literal('rate'),
    rate: z.int().min(2).max(1000),
    lastsMs: duration(MAX_BOOST_DAYS),
  }),
  z.strictObject({ ...common, effect: z.literal('repeat'), times: z.int().min(1).max(1000) }),
]);

/** The number at level 0, 1, 2 ... of another thing; the last one is for all higher levels. */
const byLevel = namedOf(name, guarded(z.array(z.int().min(0).max(MOST_OF_ONE)).min(1).max(1000))).refine(
  (own) => Object.keys(own).length === 1 && Object.values(own).flat().some(Boolean),
  'names one thing, with a list in which not all is 0',
);

/** The content of the file: JSON Schema in docs/schemas. */
export const worksRules = z.strictObject({
  $schema: z.string().optional(),
  /** A new player's items. */
  starter: z.strictObject({ items: namedOf(item, startCount) }).default(() => ({ items: {} })),
  things: namedOf(
    name.refine((text) => text !== 'items', 'items is no thing: needs has amounts under that name'),
    z.strictObject({
      ...common,
      limit: z.union([z.int().min(1).max(MOST_OF_ONE), byLevel]).default(100),
      /** A list: the price of the first of its name, the second ... The last one is for all others. */
      takes: perLevel(items).default(() => ({})),
    }),
  ),
  slots: namedOf(
    name,
    z.strictObject({
      ...described,
      base: z.int().min(0).max(1000),
      item: item.optional(),
      queue: z.int().min(0).max(1000).default(0),
    }),
  ).default(() => ({})),
  activities: namedOf(name, activity),
  cards: namedOf(item, card).default(() => ({})),
  windows: windows.default(() => ({})),
  cancelGivesBack: z.number().min(0).max(1).refine(isFourDecimals, 'has more than four decimals').default(0),
  queueTakes: z.enum(['queue', 'start']).default('queue'),
});

/** The content of a file of rules. */
export type WorksRules = z.input<typeof worksRules>;
/** The same after reading: durations in milliseconds, and defaults filled in. */
export type WorksCatalogue = z.output<typeof worksRules>;
export type ActivityRules = z.output<typeof activity>;

/** Reads a file of rules. Returns all faults at once, each as `path: what is wrong`. */
export const parseWorksRules = (json: unknown): Result<WorksCatalogue, readonly string[]> => {
  const read = readModuleConfig({ name: 'works', config: worksRules, configFaults: faultsBetween }, json);
  return read.ok ? ok(read.value.config as WorksCatalogue) : read;
};
