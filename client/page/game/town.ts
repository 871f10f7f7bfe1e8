import { atLevel, isSingle, levelsOf, limitOf, type Needs, priceOf } from '../../../shared/works/at-level.ts';
import type { WorksCatalogue } from '../../../shared/works/rules-file.ts';
import type { PageWords } from '../words/en.ts';
import type { PageFormats } from '../words/formats.ts';
import type { GameHome, TownThing } from './modules.ts';

export type TownRules = WorksCatalogue & {
  /** By place: the next opening of entries that were closed when the rules were fetched: `activities.brew`; null: never. */
  readonly opensAt?: Readonly<Record<string, number | null>>;
};
type Activity = WorksCatalogue['activities'][string];
type Items = Readonly<Record<string, number>>;

/** The town's things, grouped by name, in the order in which they came. */
export const townThings = (home: GameHome | undefined, rules: TownRules): readonly TownThing[] => {
  const names = Object.keys(rules.things);
  const all = Object.values(home?.things.town ?? {}).flatMap((thing) => thing ?? []);
  const placeOf = ({ state }: TownThing): number =>
    names.includes(state.name) ? names.indexOf(state.name) : names.length;
  return all.sort((one, other) => placeOf(one) - placeOf(other) || inOrder(one, other));
};

/** New ids end in a number that grows. */
const inOrder = (one: TownThing, other: TownThing): number => one.id.localeCompare(other.id, 'en', { numeric: true });

/** A thing's name for the player: with a number if there may be several. */
export const nameOfThing = (
  id: string,
  {
    home,
    rules,
    words,
    formats,
  }: { home: GameHome | undefined; rules: TownRules | undefined; words: PageWords; formats: PageFormats },
): string => {
  const thing = home?.things.town?.[id];
  if (!thing) return words.town.title;
  const name = formats.thing(thing.state.name);
  if (!rules || isSingle(rules.things[thing.state.name]?.limit ?? 1)) return name;
  const alike = townThings(home, rules).filter(({ state }) => state.name === thing.state.name);
  return words.town.numbered({ name, number: alike.findIndex((one) => one.id === id) + 1 });
};

/** The costs of an activity at a level; undefined: its lists end before. */
export const costOf = (
  activity: Activity,
  level: number,
): { readonly workMs: number; readonly takes: Items } | undefined => {
  const workMs = atLevel(activity.workMs ?? 0, level);
  const takes = atLevel(activity.takes ?? {}, level);
  const others = [activity.gives ?? {}, activity.needs ?? {}].map((one) => atLevel(one, level));
  return workMs === undefined || takes === undefined || others.includes(undefined) ? undefined : { workMs, takes };
};

/** The things that may be placed now, with their prices. */
export const placeable = (rules: TownRules, all: readonly TownThing[]) => {
  const states = all.map(({ state }) => state);
  return Object.entries(rules.things).flatMap(([name, { limit, takes }]) => {
    const have = states.filter((state) => state.name === name).length;
    return have < limitOf(limit, states).limit ? [{ name, takes: priceOf(takes, have) }] : [];
  });
};

/** The first item with too few in stock. */
export const lackOf = (takes: Items, items: Items) => {
  const lacking = Object.entries(takes).find(([item, need]) => (items[item] ?? 0) < need);
  return lacking && { item: lacking[0], have: items[lacking[0]] ?? 0, need: lacking[1] };
};

export const needsAt = ({ needs = {} }: Activity, level: number): Needs => atLevel(needs, level) ?? {};

/** The first thing below its needed level. */
export const needOf = (needs: Needs, things: readonly TownThing[]) => {
  const unmet = levelsOf(needs).find(
    ([name, level]) => !things.some(({ state }) => state.name === name && state.level >= level),
  );
  return unmet && { name: unmet[0], level: unmet[1] };
};

/** How long an activity stays closed: null forever, undefined not at all, as far as the page knows. */
export const opensInMs = ({ opensAt }: TownRules, activity: string, nowMs: number): number | null | undefined => {
  const atMs = opensAt?.[`activities.${activity}`];
  if (typeof atMs !== 'number') return atMs;
  return atMs > nowMs ? atMs - nowMs : undefined;
};

export interface SlotView {
  readonly name: string;
  readonly all: number;
  readonly busy: number;
  /** Ids of waiting things, in order. */
  readonly queue: readonly string[];
}

export const slotsOf = (
  rules: TownRules,
  home: GameHome | undefined,
  things: readonly TownThing[],
): readonly SlotView[] =>
  Object.entries(rules.slots).map(([name, { base, item }]) => {
    const own = things.filter(({ state }) => state.task?.order.slot?.name === name);
    const waits = own.flatMap(({ id, state: { task } }) =>
      task?.state === 'waits' ? [{ id, sinceMs: task.sinceMs }] : [],
    );
    return {
      name,
      all: base + (item === undefined ? 0 : (home?.items[item] ?? 0)),
      busy: own.filter(({ state }) => state.task?.state === 'runs').length,
      queue: waits.sort((one, other) => one.sinceMs - other.sinceMs).map(({ id }) => id),
    };
  });

/** The queue after one entry moved by some places. */
export const movedIn = (queue: readonly string[], at: number, by: number): readonly string[] => {
  const others = queue.filter((_, place) => place !== at);
  return [...others.slice(0, at + by), ...queue.slice(at, at + 1), ...others.slice(at + by)];
};

/** The items in the town's rules, each once. */
export const townItems = (rules: TownRules): readonly string[] => {
  const moved = Object.values(rules.activities).flatMap(({ takes = {}, gives = {}, oneOf }) => [
    ...[takes, gives].flat(),
    ...(oneOf?.of.map((prize) => prize.gives) ?? []),
  ]);
  const placed = Object.values(rules.things).flatMap(({ takes }) => [takes].flat());
  const names = [rules.starter.items, ...placed, ...moved, rules.cards].flatMap((items) => Object.keys(items));
  return [...new Set(names)].filter((item) => item !== 'level');
};
