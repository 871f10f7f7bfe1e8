import fc from 'fast-check';
import { parseWorksRules, type WorksRules } from '../../../shared/works/rules-file.ts';

export const ITEMS = ['wood', 'seed', 'gold', 'builder'];
export const THINGS = ['hall', 'mill', 'plot', 'hero'];
export const ACTIVITIES = ['build', 'brew', 'raise', 'grow', 'rest', 'trade'];
export const CARDS = ['gem', 'hourglass', 'flag', 'horn', 'again', 'season'];

/** Twenty milliseconds before clocks go forward in Berlin, from two to three. */
export const START_AT_MS = Date.parse('2026-03-29T01:00:00Z') - 20;
/** The same before they go back to two. */
export const AUTUMN_AT_MS = Date.parse('2026-10-25T01:00:00Z') - 20;

const few = fc.integer({ min: 0, max: 2 });
const bag = (names: readonly string[], count = few) =>
  fc.dictionary(fc.constantFrom(...names), count, { maxKeys: 2, noNullPrototype: true });
/** Seldom as much as can be counted. */
const many = fc.oneof(
  { weight: 40, arbitrary: few },
  { weight: 1, arbitrary: fc.constantFrom(2 ** 53 - 1, 2 ** 52, 1e12 + 1) },
);
const workMs = fc.integer({ min: 1, max: 30 });
const maybe = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined });
const on = fc.subarray(THINGS, { minLength: 2 });
const gains = fc
  .tuple(bag([...ITEMS, 'gem', 'again', 'snack', 'level']), bag(['wood', 'gold'], many))
  .map(([some, most]) => ({ ...some, ...most }));
/** Some of it drawn at the end. */
const luckyGains = fc.oneof(
  { weight: 3, arbitrary: gains },
  {
    weight: 1,
    arbitrary: fc.tuple(gains, fc.constantFrom('wood', 'gold'), few, few).map(([gain, item, from, more]) => ({
      ...(gain as Record<string, number>),
      [item]: [from, from + more] as [number, number],
    })),
  },
);
const prize = fc.record({
  weight: fc.integer({ min: 0, max: 3 }),
  gives: luckyGains.map(({ level: _, ...gain }) => gain),
  atLatest: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined, freq: 2 }),
});
/** Of two names, so that activities have one in common, and a table changes with the rules. */
const table = fc
  .record({
    name: fc.constantFrom('crate', 'sack'),
    of: fc.array(prize, { minLength: 1, maxLength: 4 }),
  })
  .filter(({ of }) => of.some(({ weight }) => weight > 0));
const oneOf = fc.option(table, { nil: undefined, freq: 2 });

type Needs = Record<string, number | Record<string, number>>;
const needs = fc.oneof(
  { weight: 4, arbitrary: fc.constant(undefined) },
  { weight: 3, arbitrary: fc.constantFrom<Needs>({ hall: 0 }, { mill: 1 }, { mill: 0 }) },
  { weight: 3, arbitrary: fc.record<Needs>({ items: bag(ITEMS, fc.integer({ min: 0, max: 12 })) }) },
  { weight: 1, arbitrary: fc.constant<Needs>({ hall: 0, items: { wood: 9 } }) },
);

const near = fc.integer({ min: -20, max: 100 });
const instantOf = (ms: number): string => new Date(START_AT_MS + ms).toISOString();
const season = fc.tuple(near, fc.integer({ min: 1, max: 80 })).map(([from, lasts]) => ({
  ...{ from: instantOf(from), until: instantOf(from + lasts) },
}));
/** Most come when clocks change, or half an hour or more before. */
const nightly = fc.record({
  cron: fc.constantFrom(
    '30 2 * * *',
    '0 2 * * *',
    '0 3 * * *',
    '0 * * * *',
    '30 1,2 * * *',
    '*/30 2 * * 0',
    '0 12 * * 1',
  ),
  timeZone: fc.constantFrom('Europe/Berlin', 'Europe/Berlin', 'Europe/Berlin', 'UTC'),
  lasts: fc
    .tuple(fc.constantFrom(0, 0, 30, 60, 90), fc.integer({ min: 1, max: 60 }))
    .map(([minutes, ms]) => minutes * 60_000 + ms),
});
const WINDOWS = ['night', 'dusk', 'season'] as const;
const timed = fc.oneof(
  { weight: 9, arbitrary: fc.constant({}) },
  { weight: 3, arbitrary: fc.record({ during: fc.constantFrom(...WINDOWS) }) },
  { weight: 1, arbitrary: season },
  { weight: 1, arbitrary: fc.record({ from: near.map(instantOf), during: nightly }) },
);
const sometimes = <Own extends object>(own: fc.Arbitrary<Own>): fc.Arbitrary<Own> =>
  fc.tuple(own, timed).map(([one, when]) => ({ ...one, ...when }));

const atMost = fc.oneof(
  { weight: 6, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.record({ times: fc.integer({ min: 1, max: 3 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      times: fc.integer({ min: 1, max: 2 }),
      per: fc.record({
        cron: fc.constantFrom('0 * * * *', '0 3 * * *', '30 2 * * *', '0 2 * * *'),
        timeZone: fc.constantFrom('Europe/Berlin', 'Europe/Berlin', 'UTC'),
      }),
    }),
  },
);
const shared = {
  on,
  atMost,
  slot: fc.constantFrom('builders', 'builders', 'ovens', undefined),
  needs,
  collect: fc.constantFrom(undefined, undefined, true),
  consumes: fc.constantFrom(undefined, undefined, undefined, true),
};
const flat = sometimes(fc.record({ ...shared, workMs, takes: maybe(bag(ITEMS)), gives: maybe(luckyGains), oneOf }));
const listed = fc.integer({ min: 1, max: 3 }).chain((length) => {
  const list = <Value>(value: fc.Arbitrary<Value>) => fc.array(value, { minLength: length, maxLength: length });
  return fc.record({
    ...shared,
    workMs: list(workMs),
    takes: fc.oneof(list(bag(ITEMS)), maybe(bag(ITEMS))),
    gives: list(gains.map((gain) => ({ ...gain, level: 1 }))),
    needs: fc.oneof(needs, list(needs.map((one) => one ?? {}))),
  });
});
const isSome = (items: Record<string, number> | undefined): boolean => Object.values(items ?? {}).some(Boolean);
const isStopped = (one: {
  readonly takes: Record<string, number> | undefined;
  readonly below: Record<string, number> | undefined;
  readonly collect: boolean | undefined;
  readonly consumes: boolean | undefined;
}): boolean => isSome(one.takes) || isSome(one.below) || one.collect === true || one.consumes === true;
const auto = fc
  .record({
    ...shared,
    on: fc.constant(['hero']),
    slot: fc.constant(undefined),
    atMost: fc.constant(undefined),
    workMs,
    takes: maybe(bag(ITEMS)),
    gives: luckyGains,
    oneOf,
    auto: fc.constant(true),
    holds: fc.constantFrom(undefined, undefined, 2, 3),
    below: fc.option(bag(ITEMS, fc.integer({ min: 1, max: 5 })), { nil: undefined, freq: 4 }),
  })
  // An endless activity is refused.
  .map((one) => (one.holds === undefined ? one : { ...one, collect: true, consumes: undefined }))
  .map((one) => (isStopped(one) ? one : { ...one, takes: { seed: 1 } }));

/** By the other rules it may repeat no more. */
const once = auto.map(({ auto: _, below: __, holds: ___, ...one }) => one);

/** Activities without duration, also by level. */
const instant = fc.integer({ min: 0, max: 3 }).chain((length) => {
  const some = <Value>(value: fc.Arbitrary<Value>) =>
    length === 0 ? maybe(value) : fc.oneof(maybe(value), fc.array(value, { minLength: length, maxLength: length }));
  const { on, atMost, consumes } = shared;
  return fc.record({
    on,
    atMost,
    consumes,
    needs: some(needs.map((one) => one ?? {})),
    takes: some(bag(ITEMS)),
    gives: some(gains),
  });
});

const slot = fc.record({
  base: fc.integer({ min: 0, max: 2 }),
  item: fc.constantFrom(undefined, 'builder'),
  queue: fc.integer({ min: 0, max: 4 }),
});

const byLevel = fc.oneof(
  fc.constantFrom({ hall: [1, 2, 3] }, { hall: [0, 4] }, { plot: [2, 3] }, { mill: [0, 1, 1] }, { mill: [3, 1, 5] }),
  fc.record({ hall: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 }) }),
);
const prices = fc.oneof(bag(ITEMS), fc.array(bag(ITEMS), { minLength: 1, maxLength: 3 }), fc.constant(undefined));

/** Files of rules with works of a few milliseconds, so that much meets. */
export const worksRules: fc.Arbitrary<WorksRules> = fc
  .record({
    things: fc.record({
      hall: fc.record({ limit: fc.constant(1) }),
      mill: fc.record({ limit: fc.constant(1), takes: bag(ITEMS, fc.integer({ min: 0, max: 1 })) }),
      plot: sometimes(fc.record({ limit: fc.oneof(fc.integer({ min: 2, max: 4 }), byLevel), takes: prices })),
      hero: fc.record({ limit: fc.constant(2) }),
    }),
    slots: fc.record({ builders: slot, ovens: slot }),
    activities: fc.record({
      build: flat,
      brew: flat.map(({ collect: _, consumes: __, ...rest }) => rest),
      raise: listed,
      grow: fc.oneof(flat, listed),
      rest: fc.oneof({ weight: 3, arbitrary: auto }, { weight: 1, arbitrary: once }),
      trade: instant,
    }),
    cards: fc.record({
      gem: sometimes(fc.record({ effect: fc.constant('finish' as const), msEach: fc.integer({ min: 1, max: 5 }) })),
      hourglass: sometimes(fc.record({ effect: fc.constant('cut' as const), workMs })),
      flag: sometimes(fc.record({ effect: fc.constant('rate' as const), rate: fc.constant(2), lastsMs: workMs })),
      horn: fc.record({ effect: fc.constant('rate' as const), rate: fc.constant(3), lastsMs: workMs }),
      again: fc.record({ effect: fc.constant('repeat' as const), times: fc.constant(1) }),
      season: fc.record({ effect: fc.constant('repeat' as const), times: fc.integer({ min: 1, max: 3 }) }),
    }),
    cancelGivesBack: fc.constantFrom(0, 0.29, 0.5, 1),
    queueTakes: fc.constantFrom('queue' as const, 'start' as const),
    windows: fc.record({ night: nightly, dusk: nightly, season }),
  })
  // What is left out is not there: as JSON has it.
  .map((rules) => JSON.parse(JSON.stringify(rules)) as WorksRules)
  // Not with a need that nothing leads to.
  .filter((rules) => parseWorksRules(rules).ok);

/** A player's intention; its thing depends on the things that exist by then. */
export interface Intent {
  readonly afterMs: number;
  readonly module: 'town' | 'farm';
  readonly type: string;
  readonly thing: number;
  readonly name: string;
  readonly activity: string;
  readonly card: string;
  readonly count: number | undefined;
  readonly max: number | undefined;
  readonly items: Record<string, number>;
}

const TYPES: readonly (readonly [type: string, weight: number])[] = [
  ['place', 2],
  ['start', 14],
  ['use-card', 8],
  ['cancel', 1],
  ['collect', 1],
  ['reorder', 2],
  ['remove', 1],
  ['give', 2],
  ['rob', 1],
  ['pet', 2],
];

const intent: fc.Arbitrary<Intent> = fc.record({
  afterMs: fc.constantFrom(0, 0, 0, 1, 1, 2, 4, 9),
  module: fc.constantFrom('town' as const, 'town' as const, 'town' as const, 'farm' as const),
  type: fc.oneof(...TYPES.map(([type, weight]) => ({ weight, arbitrary: fc.constant(type) }))),
  thing: fc.nat(7),
  name: fc.constantFrom(...THINGS),
  activity: fc.constantFrom(...ACTIVITIES),
  card: fc.constantFrom(...CARDS),
  count: fc.constantFrom(undefined, undefined, undefined, 1, 2),
  max: fc.constantFrom(undefined, undefined, undefined, 0, 3),
  items: bag(ITEMS, fc.integer({ min: 1, max: 3 })).filter((items) => Object.keys(items).length > 0),
});

const placing = (module: Intent['module'], name: string): Intent => ({
  ...{ afterMs: 0, module, type: 'place', thing: 0, name, activity: '', card: '' },
  ...{ count: undefined, max: undefined, items: {} },
});

/** Begins with a place for everything. */
export const worksHistory: fc.Arbitrary<readonly Intent[]> = fc
  .array(intent, { maxLength: 40, size: 'max' })
  .map((intents) => [
    ...[...THINGS, 'plot'].map((name) => placing('town', name)),
    ...['hall', 'plot'].map((name) => placing('farm', name)),
    ...intents,
  ]);

export interface Look {
  readonly afterMs: number;
  readonly maxEvents: number;
}

/** The home is read in between, in slices of any size. */
export const worksLooks: fc.Arbitrary<readonly Look[]> = fc.array(
  fc.record({ afterMs: fc.nat(200), maxEvents: fc.integer({ min: 1, max: 5 }) }),
  { maxLength: 8 },
);
