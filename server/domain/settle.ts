import type { HomeEvent } from '../../shared/event.ts';
import { type Home, type Thing, thingsOf } from '../../shared/home.ts';
import { type DraftLog, draftLogOf } from './draft.ts';
import { dueOf } from './due-of.ts';
import { ModuleFault, ruled } from './module-fault.ts';
import type { LoadedModule, LooseDraft, Modules } from './modules.ts';
import { sceneOf } from './scene.ts';

/**
 * Completes everything whose due time has come by `nowMs`, and starts what follows from it, in logical-time order over
 * all things. Every chunking of time gives the same events. Throws a `ModuleFault`.
 */
export const settle = (modules: Modules, home: Home, nowMs: number): readonly HomeEvent[] =>
  settleSome(modules, home, { nowMs, maxEvents: Number.POSITIVE_INFINITY }).events;

/** A beginning of what `settle` returns. */
export interface Settled {
  readonly events: readonly HomeEvent[];
  /** After them. */
  readonly home: Home;
  /** It is all of it. Else there is more that is due by then, and the home is not what it is at that time. */
  readonly isSettled: boolean;
}

/** Settles no further than to the rest after it has `maxEvents` or more; from there it goes on as if it had not ended. */
export const settleSome = (
  modules: Modules,
  home: Home,
  { nowMs, maxEvents }: { readonly nowMs: number; readonly maxEvents: number },
): Settled => {
  const draft = draftLogOf(modules, home);
  const isSettled = settleDraft(modules, draft, { nowMs, maxEvents });
  return { events: draft.events(), home: draft.home(), isSettled };
};

/** A thing and its module. */
interface Place {
  readonly module: LoadedModule;
  readonly id: string;
  readonly thing: Thing;
}

const settleDraft = (
  modules: Modules,
  draft: DraftLog,
  { nowMs, maxEvents }: { readonly nowMs: number; readonly maxEvents: number },
): boolean => {
  const turns = new TurnsAtOnce();
  // Who could go on before anything has happened waits for what came without an event: it goes on now, not in the past.
  let aside = namesOf(waiting(modules, draft.home()).filter((place) => couldGoOn(draft, place)));
  for (;;) {
    for (let next = earliestDue(modules, draft.home(), nowMs); next; next = earliestDue(modules, draft.home(), nowMs)) {
      if (draft.events().length >= maxEvents) return false;
      const atMs = Math.max(next.dueAtMs, draft.home().lastAtMs);
      turns.count(next, { atMs, rule: 'complete' });
      complete(draft, next, atMs);
      askAll(modules, draft, { atMs, aside, turns });
      if (aside.size > 0) aside = stillAble(modules, draft, aside);
    }
    const atMs = Math.max(nowMs, draft.home().lastAtMs);
    if (!askAll(modules, draft, { atMs, aside: NOBODY, turns })) return true;
  }
};

const NOBODY: ReadonlySet<string> = new Set();

/** The thing that is due first; of several at one instant by module and id. */
const earliestDue = (modules: Modules, home: Home, nowMs: number): (Place & { dueAtMs: number }) | undefined => {
  let earliest: (Place & { dueAtMs: number }) | undefined;
  for (const module of modules.all) {
    const things = thingsOf(home, module.name);
    for (const id in things) {
      const thing = things[id];
      const dueAtMs = thing && dueOf(module, id, thing);
      if (thing === undefined || dueAtMs === undefined || dueAtMs > nowMs) continue;
      const isEarlier =
        !earliest ||
        dueAtMs < earliest.dueAtMs ||
        (dueAtMs === earliest.dueAtMs && earliest.module === module && id < earliest.id);
      if (isEarlier) earliest = { module, id, thing, dueAtMs };
    }
  }
  return earliest;
};

const complete = (draft: DraftLog, { module, id, thing }: Place, atMs: number): void => {
  const at = { module: module.name, thing: id, rule: 'complete' };
  const turn = { ...sceneOf(module, draft.home(), atMs), id, thing };
  const drafts = ruled(at, () => module.rules.complete?.(turn)) ?? [];
  if (drafts.length === 0) throw new ModuleFault(at, 'it returns no event, so the thing would be due for ever');
  write(draft, { module, at: atMs, rule: 'complete', thing: id }, drafts);
};

interface Asking {
  readonly atMs: number;
  readonly aside: ReadonlySet<string>;
  readonly turns: TurnsAtOnce;
}

/** Whether some went on: asked from the first again after each that did, until none does. */
const askAll = (modules: Modules, draft: DraftLog, asking: Asking): boolean => {
  let next = firstGoingOn(modules, draft, asking);
  if (!next) return false;
  for (; next; next = firstGoingOn(modules, draft, asking)) {
    asking.turns.count(next, { atMs: asking.atMs, rule: 'goOn' });
    write(draft, { module: next.module, at: asking.atMs, rule: 'goOn', thing: next.id }, next.drafts);
  }
  return true;
};

const firstGoingOn = (
  modules: Modules,
  draft: DraftLog,
  { atMs, aside }: Asking,
): (Place & { readonly drafts: readonly LooseDraft[] }) | undefined => {
  for (const place of waiting(modules, draft.home())) {
    if (aside.size > 0 && aside.has(nameOf(place))) continue;
    const drafts = goingOn(draft, place, atMs);
    if (drafts.length > 0) return { ...place, drafts };
  }
  return undefined;
};

/** Who waits, in the order in which they're asked: since when, then module and id. */
const waiting = (modules: Modules, home: Home): readonly Place[] => {
  const found: (Place & { readonly sinceMs: number })[] = [];
  for (const module of modules.all) {
    const { waitingSinceMs } = module.rules;
    if (!waitingSinceMs) continue;
    const things = thingsOf(home, module.name);
    for (const id in things) {
      const thing = things[id];
      if (!thing) continue;
      const sinceMs = ruled({ module: module.name, thing: id, rule: 'waitingSinceMs' }, () => waitingSinceMs(thing));
      if (sinceMs !== undefined) found.push({ module, id, thing, sinceMs });
    }
  }
  return found.length < 2 ? found : found.sort(byTurn);
};

type Waiting = Place & { readonly sinceMs: number };

const byTurn = (one: Waiting, other: Waiting): number =>
  one.sinceMs - other.sinceMs || compare(one.module.name, other.module.name) || compare(one.id, other.id);

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

const goingOn = (draft: DraftLog, { module, id, thing }: Place, atMs: number): readonly LooseDraft[] =>
  ruled({ module: module.name, thing: id, rule: 'goOn' }, () =>
    module.rules.goOn?.({ ...sceneOf(module, draft.home(), atMs), id, thing }),
  ) ?? [];

const couldGoOn = (draft: DraftLog, place: Place): boolean => goingOn(draft, place, draft.home().lastAtMs).length > 0;

/** Those set aside who could still go on; the others wait like everybody from now on. */
const stillAble = (modules: Modules, draft: DraftLog, aside: ReadonlySet<string>): ReadonlySet<string> =>
  namesOf(waiting(modules, draft.home()).filter((place) => aside.has(nameOf(place)) && couldGoOn(draft, place)));

const nameOf = ({ module, id }: Place): string => `${module.name} ${id}`;

const namesOf = (places: readonly Place[]): ReadonlySet<string> =>
  places.length === 0 ? NOBODY : new Set(places.map(nameOf));

/** An overdraft here can't be refused to anybody: it is a fault. */
const write = (
  draft: DraftLog,
  by: { readonly module: LoadedModule; readonly at: number; readonly rule: string; readonly thing: string },
  drafts: readonly LooseDraft[],
): void => ruled({ module: by.module.name, thing: by.thing, rule: by.rule }, () => draft.addOf(by.at, by, drafts));

/** A thing that is due, or goes on, again and again at one instant is at fault. */
class TurnsAtOnce {
  #atMs = Number.NEGATIVE_INFINITY;
  #counts = new Map<string, number>();

  count(place: Place, { atMs, rule }: { readonly atMs: number; readonly rule: 'complete' | 'goOn' }): void {
    if (atMs !== this.#atMs) this.#counts = new Map();
    this.#atMs = atMs;
    const name = nameOf(place);
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    if (count >= ENDLESS_TURNS) {
      const at = { module: place.module.name, thing: place.id, rule };
      throw new ModuleFault(at, `the thing had ${ENDLESS_TURNS} turns at one instant: what it does must take time`);
    }
  }
}

/** So many turns of one thing at one instant are taken to have no end. */
const ENDLESS_TURNS = 1000;
