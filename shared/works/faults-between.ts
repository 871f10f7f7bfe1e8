import { MOST_DRAWS } from './draw.ts';
import { isEndless, unknownBelow } from './endless.ts';
import { isNamed, type Known, knownIn, listIn, type Named, readableEntries } from './known-names.ts';
import { neverPlaced } from './never-placed.ts';
import { hasWindow, neverOpen, windowsIn } from './window.ts';

type Entries = ReturnType<typeof readableEntries>;

/** Faults between parts of a file of rules that are valid by themselves. Reads the readable parts. */
export const faultsBetween = (json: unknown): readonly string[] => {
  const file = isNamed(json) ? json : {};
  const activities = readableEntries(file.activities);
  const highest = highestOf(file);
  const things = knownIn(file.things, 'things');
  const slots = knownIn(file.slots ?? {}, 'slots');
  return [
    ...activities.flatMap(([activity, own]) =>
      [
        ...unknownNames({ things, slots }, own),
        ...unevenLists(own),
        ...autoFaults(own),
        ...instantFaults(own),
        ...holdsFaults(own),
        ...chanceFaults(own),
        ...tooHigh(own, highest),
      ].map((fault) => `activities.${activity}.${fault}`),
    ),
    ...twoAutos(activities),
    ...unknownBelow(file, activities),
    ...readableEntries(file.things).flatMap(([thing, { limit }]) =>
      Object.keys(isNamed(limit) ? limit : {}).flatMap((by) => things(by, `things.${thing}.limit.${by}`)),
    ),
    ...neverPlaced(file.things, highest),
    ...tooManyCounted(activities),
    ...twoTables(activities),
    ...windowFaults(file),
  ];
};

const unknownNames = (
  { things, slots }: { readonly things: Known; readonly slots: Known },
  { on, slot, needs }: Named,
): readonly string[] => {
  const named = listIn(on) ?? [];
  const seen = new Set<unknown>();
  const isSecond = (thing: unknown): boolean => seen.size === seen.add(thing).size;
  return [
    ...named.flatMap((thing, at) => things(thing, `on.${at}`)),
    ...named.filter(isSecond).map((thing) => `on: ${thing} is listed twice`),
    ...(slot === undefined ? [] : slots(slot, 'slot')),
    ...needed(needs).flatMap(({ thing, path }) => things(thing, path)),
  ];
};

/** Each thing in the needs, with its level and place. */
const needed = (
  needs: unknown,
): readonly { readonly thing: string; readonly level: unknown; readonly path: string }[] =>
  (Array.isArray(needs) ? needs : [needs]).flatMap((one, at) =>
    Object.entries(isNamed(one) ? one : {})
      .filter(([thing]) => thing !== 'items')
      .map(([thing, level]) => ({ thing, level, path: `needs.${Array.isArray(needs) ? `${at}.` : ''}${thing}` })),
  );

const LISTS = ['workMs', 'takes', 'gives', 'needs'] as const;

const listsOf = (activity: Named): readonly (readonly [string, readonly unknown[]])[] =>
  LISTS.flatMap((field) => {
    const list = listIn(activity[field]);
    return list ? [[field, list] as const] : [];
  });

const unevenLists = (activity: Named): readonly string[] => {
  const [first, ...others] = listsOf(activity);
  return others
    .filter(([, list]) => list.length !== first?.[1].length)
    .map(([field, list]) => `${field}: has ${list.length} levels, and ${first?.[0]} has ${first?.[1].length}`);
};

const autoFaults = (activity: Named): readonly string[] => {
  if (activity.auto !== true) {
    return activity.below === undefined ? [] : ['below: says when what is auto starts: set auto, or leave it out'];
  }
  const gives = Array.isArray(activity.gives) ? activity.gives : [activity.gives];
  const isRising = gives.some((one) => isNamed(one) && 'level' in one);
  return [
    ...(isEndless(activity)
      ? ['auto: writes events for ever: set below, or let it take, be collected or consume']
      : []),
    ...(activity.atMost === undefined
      ? []
      : ['atMost: is counted at a command, and what is auto goes on by itself: leave it out']),
    ...(activity.slot === undefined ? [] : ['slot: what is auto would keep it for ever: leave it out']),
    ...(isRising && listsOf(activity).length > 0
      ? ['auto: goes on as it was ordered, so lists and a level that rises do not go together']
      : []),
    ...needed(listIn(activity.needs)?.slice(0, 1) ?? activity.needs)
      .filter(({ thing }) => listIn(activity.on)?.includes(thing))
      .map(({ thing, path }) => `${path}: starts when ${thing} is placed, so the first could never be placed`),
  ];
};

const OF_WORK = ['slot', 'collect', 'auto', 'below', 'oneOf'] as const;

const instantFaults = (activity: Named): readonly string[] => {
  if (activity.workMs === 0) return ['workMs: what takes no time has none: leave it out'];
  if (activity.workMs !== undefined) return [];
  return OF_WORK.filter((field) => activity[field] !== undefined && activity[field] !== false).map(
    (field) => `${field}: is of work, and this takes no time: leave it out, or give workMs`,
  );
};

const holdsFaults = ({ holds, auto, collect, consumes, gives }: Named): readonly string[] => {
  if (holds === undefined) return [];
  if (auto !== true || collect !== true || consumes === true) {
    return ['holds: is of what is auto and collected, and not consumed: set both, or leave it out'];
  }
  const amounts = [gives].flat().flatMap((one) => Object.entries(isNamed(one) ? one : {}));
  return amounts
    .filter(([, count]) => Number(count) * Number(holds) > Number.MAX_SAFE_INTEGER)
    .map(([item]) => `holds: so many times ${item} is more than a stock can count (2^53 - 1)`);
};

const bagsIn = (gives: unknown): readonly Named[] => [gives].flat().filter(isNamed);

/** The name of an activity's table, and its prizes. */
const tableIn = ({ oneOf }: Named): readonly [name: unknown, of: readonly Named[]] =>
  isNamed(oneOf) ? [oneOf.name, (listIn(oneOf.of) ?? []).filter(isNamed)] : [undefined, []];

/** The ranges of the level or prize that has the most. */
const mostRanges = (bags: readonly Named[]): number =>
  bags.reduce((most, bag) => Math.max(most, Object.values(bag).filter(Array.isArray).length), 0);

/** Faults of draws at the end. */
const chanceFaults = (activity: Named): readonly string[] => {
  const { workMs, gives } = activity;
  const [, of] = tableIn(activity);
  const draws = mostRanges(bagsIn(gives)) + Number(of.length > 0) + mostRanges(of.flatMap((one) => bagsIn(one.gives)));
  const owed = of.filter(({ atLatest }) => typeof atLatest === 'number');
  const least = owed.reduce((min, { atLatest }) => Math.min(min, Number(atLatest)), Number.POSITIVE_INFINITY);
  return [
    ...(bagsIn(gives).some(({ level }) => Array.isArray(level))
      ? ['gives.level: is drawn by no range: give one number']
      : []),
    ...(workMs === undefined && mostRanges(bagsIn(gives)) > 0
      ? ['gives: is drawn at the end of work, and this takes no time: give workMs']
      : []),
    ...(draws > MOST_DRAWS ? [`gives: an end draws ${draws} times with its prize, at most ${MOST_DRAWS} can be`] : []),
    ...(of.some((one) => bagsIn(one.gives).some((bag) => 'level' in bag))
      ? ['oneOf: a level is no prize: give it in gives']
      : []),
    ...(owed.length > least
      ? [
          `oneOf: ${owed.length} have to come, one of them within ${least}: give each an atLatest of ${owed.length} or more`,
        ]
      : []),
  ];
};

/** Tables of one name share their counters, so they must be the same. */
const twoTables = (activities: Entries): readonly string[] => {
  const first = new Map<unknown, readonly [activity: string, of: string]>();
  return activities.flatMap(([activity, own]) => {
    if (!isNamed(own.oneOf)) return [];
    const { name, of } = own.oneOf;
    const [other, same] = first.get(name) ?? [activity, JSON.stringify(of)];
    first.set(name, [other, same]);
    return same === JSON.stringify(of)
      ? []
      : [
          `activities.${activity}.oneOf.name: ${String(name)} is another table in ${other}: give it another name, or the same content`,
        ];
  });
};

/** By thing: the highest level that its activities reach; without a list there is no highest one. */
const highestOf = ({ things, activities }: Named): ReadonlyMap<unknown, number> => {
  const highest = new Map<unknown, number>(Object.keys(isNamed(things) ? things : {}).map((thing) => [thing, 0]));
  for (const own of Object.values(isNamed(activities) ? activities : {})) {
    const on = isNamed(own) && listIn(own.on);
    // An unreadable activity must not cause further faults.
    if (!on) return new Map();
    const [, list = []] = listsOf(own)[0] ?? [];
    const levels = list.length > 0 ? list : ['all'];
    const most = levels.reduce<number>((max, _, at) => Math.max(max, levelAt(own.gives, at, list.length)), 0);
    for (const thing of on) highest.set(thing, Math.max(highest.get(thing) ?? 0, most));
  }
  return highest;
};

const levelAt = (gives: unknown, at: number, levels: number): number => {
  const one = Array.isArray(gives) ? gives[at] : gives;
  if (!isNamed(one) || !one.level) return 0;
  return levels === 0 ? Number.POSITIVE_INFINITY : at + Number(one.level);
};

const tooHigh = ({ needs }: Named, highest: ReadonlyMap<unknown, number>): readonly string[] =>
  needed(needs).flatMap(({ thing, level, path }) => {
    const most = highest.get(thing) ?? Number.POSITIVE_INFINITY;
    return Number(level) > most ? [`${path}: is ${level}, and ${thing} has at most level ${most}`] : [];
  });

const twoAutos = (activities: Entries): readonly string[] => {
  const first = new Map<unknown, string>();
  return activities.flatMap(([activity, { auto, on }]) => {
    if (auto !== true) return [];
    return (listIn(on) ?? []).flatMap((thing) => {
      const other = first.get(thing);
      first.set(thing, other ?? activity);
      return other === undefined
        ? []
        : [`activities.${activity}.auto: ${thing} has ${other} already, one is all it can do`];
    });
  });
};

/** A home has at most a thousand counters of a module; prize tables and activities of earlier rules use some, too. */
const MOST_COUNTED = 800;

const tooManyCounted = (activities: Entries): readonly string[] => {
  const counted = activities.filter(([, { atMost }]) => isNamed(atMost));
  const tables = new Map(activities.map(([, own]) => tableIn(own)));
  const owed = [...tables.values()].flat().filter(({ atLatest }) => atLatest !== undefined);
  const counters = counted.length + owed.length;
  return counters > MOST_COUNTED
    ? [`activities: atMost and atLatest need ${counters} counters (one each), at most ${MOST_COUNTED} can be`]
    : [];
};

const windowFaults = (file: Named): readonly string[] => {
  const known = knownIn(file.windows ?? {}, 'windows');
  const windows = windowsIn(file.windows ?? {});
  return ['things', 'activities', 'cards'].flatMap((part) =>
    readableEntries(file[part]).flatMap(([name, own]) => {
      if (!hasWindow(own)) return [];
      const unasked = own.auto === true ? 'auto' : own.effect === 'repeat' ? 'effect' : undefined;
      return [
        ...known(own.during, 'during'),
        ...(unasked ? [`${unasked}: goes on by itself, and a window is asked at a command: leave it out`] : []),
        ...neverOpen(own, windows),
      ].map((fault) => `${part}.${name}.${fault}`);
    }),
  );
};
