import { type EngineBody, type HomeEvent, isEngineEvent } from '../../shared/event.ts';
import {
  type Counters,
  type Home,
  higherCounters,
  type MadeMaps,
  thingsOf,
  withCounters,
  withThing,
} from '../../shared/home.ts';
import { addItems } from '../../shared/items.ts';
import { ModuleMissing } from './module-fault.ts';
import type { LoadedModule, Modules, OfModule, OwnEvent } from './modules.ts';

/**
 * The home after the event. Uses no rules file: the log alone gives the state, whatever the rules are now. The event's
 * `items` say how it changed the stock. Throws a `ModuleFault`. A caller that folds many events and needs only the last
 * home passes one `made` for all.
 */
export const evolve = (modules: Modules, home: Home, event: HomeEvent, made?: MadeMaps): Home => {
  const found = modules.ofEvent(event.type);
  const after = found
    ? { ...counted(home, found.module.name, event), things: changedThings(home, found, event, made) }
    : evolveByEngine(modules, home, event, made);
  return {
    ...after,
    seq: event.seq,
    lastAtMs: event.at,
    items: event.items ? Object.freeze(addItems(home.items, event.items)) : home.items,
  };
};

export const fold = (modules: Modules, home: Home, events: Iterable<HomeEvent>): Home => {
  const made: MadeMaps = new WeakSet();
  let folded = home;
  for (const event of events) folded = evolve(modules, folded, event, made);
  return folded;
};

/** Also for a module that was removed for good: its counters stay in the row. */
const counted = (home: Home, module: string, { counters }: HomeEvent): Home =>
  counters ? { ...home, counters: withCounters(home.counters, module, counters as Counters) } : home;

const changedThings = (home: Home, found: OfModule, event: HomeEvent, made?: MadeMaps): Home['things'] => {
  const own = ownEvent(found, event);
  const { module } = found;
  const before = thingsOf(home, module.name)[own.thing] ?? module.initial;
  const rule = module.rules.evolve[own.type];
  // Else the event would remove its thing.
  if (!rule) throw new TypeError(`${module.name} has no rule evolve.${own.type}`);
  const after = rule(before, own);
  return withThing(home.things, { module: module.name, id: own.thing }, after, made);
};

/** The event under its own name, in the form of the present version. */
export const ownEvent = ({ module, own }: OfModule, event: HomeEvent): OwnEvent => {
  if (event.v > module.version) throw newer(module, event.v);
  const upgraded = event.v < module.version ? olderEvent(module, own, event) : event;
  const thing = String(event[module.thingField]);
  return Object.freeze({ ...upgraded, type: own, thing, seq: event.seq, at: event.at });
};

const newer = (module: LoadedModule, version: number): ModuleMissing =>
  new ModuleMissing(
    module.name,
    `wrote version ${version}, here is ${module.version}`,
    `deploy the release that has version ${version}`,
  );

const olderEvent = (module: LoadedModule, own: string, event: HomeEvent): object => {
  const { older } = module.rules;
  if (!older)
    throw new TypeError(`${module.name} is at version ${module.version}: it needs older.event for ${event.v}`);
  return { ...event, ...(older.event(event, own, event.v) as object) };
};

const evolveByEngine = (modules: Modules, home: Home, event: HomeEvent, made?: MadeMaps): Home => {
  if (!isEngineEvent(event)) {
    const retired = modules.retiredOf(event.type, home.opened);
    if (retired !== undefined) return counted(home, retired, event);
    throw new ModuleMissing(event.type, 'has no module here that knows the event');
  }
  switch (event.type) {
    case 'items-granted':
      return home.seq === 0 ? { ...home, opened: openedBy(modules, event) } : home;
    case 'home-received':
      return event.counters ? { ...home, counters: higherCounters(home.counters, event.counters) } : home;
    case 'player-frozen':
      return { ...home, frozenAtMs: event.at };
    case 'player-unfrozen': {
      const { frozenAtMs: _, ...free } = home;
      return free;
    }
    case 'home-merged':
      return { ...home, frozenAtMs: event.at, things: leftThings(home, event.left, made) };
    case 'module-opened':
      return { ...home, opened: [...home.opened, event.module] };
    case 'thing-arrived':
      if (modules.retired.includes(event.module)) return home;
      return { ...home, things: arrivedThings(modules, home, event, made) };
    default:
      return event satisfies never;
  }
};

/** Not of the modules that are here now, except in older events, which do not name the oldest one. */
const openedBy = ({ oldest }: Modules, { opened, modules: named = [] }: OpeningBody): readonly string[] =>
  opened ?? (oldest ? [oldest.name, ...named] : named);

type OpeningBody = Extract<EngineBody, { type: 'items-granted' }>;

const leftThings = (
  home: Home,
  left: readonly Readonly<Record<string, string>>[] = [],
  made: MadeMaps = new WeakSet(),
): Home['things'] =>
  left.reduce<Home['things']>((things, { module = '', thing = '' }) => {
    return withThing(things, { module, id: thing }, thingsOf(home, module)[thing], made);
  }, {});

const arrivedThings = (
  modules: Modules,
  home: Home,
  event: { readonly module: string; readonly thing: string; readonly version: number; readonly state: object },
  made?: MadeMaps,
): Home['things'] => {
  const module = modules.named(event.module);
  if (!module) throw new ModuleMissing(event.module);
  const thing = readThing(module, event.state, event.version);
  return withThing(home.things, { module: module.name, id: event.thing }, thing, made);
};

/** A stored thing in the form of the present version. Throws if a newer version wrote it. */
export const readThing = (module: LoadedModule, state: object, version: number): object => {
  if (version === module.version) return state;
  const { older } = module.rules;
  if (version > module.version) throw newer(module, version);
  if (!older)
    throw new TypeError(`${module.name} is at version ${module.version}: it needs older.thing for ${version}`);
  return older.thing(state, version) as object;
};
