import type { HomeEvent } from '../../shared/event.ts';
import type { Home, Thing } from '../../shared/home.ts';
import type { Turn } from '../../shared/module/module.ts';
import { drawingOf, type Seed } from './chance.ts';
import { type DraftLog, draftLogOf } from './draft.ts';
import { Board, nameOf, type Place } from './due-of.ts';
import { ModuleFault, ruled } from './module-fault.ts';
import type { LooseDraft, Modules } from './modules.ts';
import { sceneOf } from './scene.ts';

/**
 * Completes everything that is due by `nowMs` and starts its consequences, in the order of logical time over all
 * things. Settling in several steps gives the same events. Throws a `ModuleFault`.
 */
export const settle = (modules: Modules, home: Home, nowMs: number, seed?: Seed): readonly HomeEvent[] =>
  settleSome(modules, home, { nowMs, maxEvents: Number.POSITIVE_INFINITY, seed }).events;

/** How far to settle. Without a seed no rule may draw. */
interface Span {
  readonly nowMs: number;
  readonly maxEvents: number;
  readonly seed?: Seed | undefined;
}

/** A first part of the events of `settle`. */
export interface Settled {
  readonly events: readonly HomeEvent[];
  /** The home after the events. */
  readonly home: Home;
  /** Whether this is everything. If not, more is due, and the home is not yet in its state of that time. */
  readonly isSettled: boolean;
}

/** Settles until the first rest after `maxEvents` events. The next call goes on as if there had been no pause. */
export const settleSome = (modules: Modules, home: Home, span: Span): Settled => {
  const draft = draftLogOf(modules, home);
  const isSettled = settleDraft(modules, draft, span);
  return { events: draft.events(), home: draft.home(), isSettled };
};

const settleDraft = (modules: Modules, draft: DraftLog, { nowMs, maxEvents, seed }: Span): boolean => {
  const board = new Board(modules, draft.home());
  const turns = new TurnsAtOnce();
  // A thing that can go on before the first event waits for a change without an event: it goes on now, not in the past.
  let aside = ableOf(draft, board.waiting());
  for (;;) {
    for (let next = board.earliestDue(nowMs); next; next = board.earliestDue(nowMs)) {
      if (draft.events().length >= maxEvents) {
        board.check(modules, draft.home());
        return false;
      }
      const atMs = Math.max(next.dueAtMs, draft.home().lastAtMs);
      turns.count(next, { atMs, rule: 'complete', events: draft.events().length });
      complete(draft, board, { place: next, atMs, seed });
      askAll(draft, board, { atMs, aside, turns });
      if (aside.size > 0) aside = ableOf(draft, board.waiting(), aside);
    }
    const atMs = Math.max(nowMs, draft.home().lastAtMs);
    if (askAll(draft, board, { atMs, aside: NONE, turns })) continue;
    if (draft.events().length > 0) board.check(modules, draft.home());
    return true;
  }
};

const NONE: ReadonlySet<string> = new Set();

interface Completing extends Pick<Span, 'seed'> {
  readonly place: Place;
  readonly atMs: number;
}

const complete = (draft: DraftLog, board: Board, { place, atMs, seed }: Completing): void => {
  const { module, id } = place;
  const at = { module: module.name, thing: id, rule: 'complete' };
  const turn = turnOf(draft, place, atMs);
  const { chance, end } = drawingOf(seed, { ...at, playerId: turn.playerId, nextSeq: turn.nextSeq });
  const drafts = module.rules.complete?.({ ...turn, chance }) ?? [];
  end();
  if (drafts.length === 0) throw new ModuleFault(at, 'it returns no event, so the thing would be due for ever');
  write(draft, board, { place, at: atMs, rule: 'complete' }, drafts);
};

interface Asking {
  readonly atMs: number;
  readonly aside: ReadonlySet<string>;
  readonly turns: TurnsAtOnce;
}

/** Returns whether a thing went on. After each one that did, begins again with the first, until none does. */
const askAll = (draft: DraftLog, board: Board, asking: Asking): boolean => {
  let next = firstGoingOn(draft, board, asking);
  if (!next) return false;
  for (; next; next = firstGoingOn(draft, board, asking)) {
    const { place, drafts } = next;
    asking.turns.count(place, { atMs: asking.atMs, rule: 'goOn', events: draft.events().length });
    write(draft, board, { place, at: asking.atMs, rule: 'goOn' }, drafts);
  }
  return true;
};

const firstGoingOn = (
  draft: DraftLog,
  board: Board,
  { atMs, aside }: Asking,
): { readonly place: Place; readonly drafts: readonly LooseDraft[] } | undefined => {
  for (const place of board.waiting()) {
    if (aside.size > 0 && aside.has(nameOf(place))) continue;
    const drafts = goingOn(draft, place, atMs);
    if (drafts.length > 0) return { place, drafts };
  }
  return undefined;
};

const goingOn = (draft: DraftLog, place: Place, atMs: number): readonly LooseDraft[] =>
  place.module.rules.goOn?.(turnOf(draft, place, atMs)) ?? [];

const turnOf = (draft: DraftLog, { module, id, thing }: Place, atMs: number): Turn<Thing> => ({
  ...sceneOf(module, draft.home(), atMs),
  id,
  thing,
});

/** Waiting things that could go on now, before anything else happens; limited to these names if given. */
const ableOf = (draft: DraftLog, waiting: readonly Place[], names?: ReadonlySet<string>): ReadonlySet<string> => {
  if (waiting.length === 0) return NONE;
  const { lastAtMs } = draft.home();
  const among = names ? waiting.filter((place) => names.has(nameOf(place))) : waiting;
  return new Set(among.filter((place) => goingOn(draft, place, lastAtMs).length > 0).map(nameOf));
};

/** No command can be refused for an overdraft here, so it is a fault. */
const write = (
  draft: DraftLog,
  board: Board,
  { place: { module, id }, at, rule }: { readonly place: Place; readonly at: number; readonly rule: string },
  drafts: readonly LooseDraft[],
): void => {
  const things = ruled({ module: module.name, thing: id, rule }, () => draft.addOf(at, { module, rule }, drafts));
  for (const thing of things) board.look(draft.home(), module, thing);
};

/** Finds a thing that is due or goes on again and again, or endless events, at one instant: the rules are at fault. */
class TurnsAtOnce {
  #atMs = Number.NEGATIVE_INFINITY;
  #counts = new Map<string, number>();
  #eventsBefore = 0;

  /** `events`: their number so far. */
  count(place: Place, { atMs, rule, events }: Counted): void {
    if (atMs !== this.#atMs) {
      this.#counts = new Map();
      this.#eventsBefore = events;
    }
    this.#atMs = atMs;
    const name = nameOf(place);
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    const isEndless = events - this.#eventsBefore > ENDLESS_EVENTS;
    if (!isEndless && count < ENDLESS_TURNS) return;
    const at = { module: place.module.name, thing: place.id, rule };
    const many = isEndless ? `home had more than ${ENDLESS_EVENTS} events` : `thing had ${ENDLESS_TURNS} turns`;
    throw new ModuleFault(at, `the ${many} at one instant: what it does must take time`);
  }
}

interface Counted {
  readonly atMs: number;
  readonly rule: 'complete' | 'goOn';
  readonly events: number;
}

/** So many turns of one thing at one instant count as endless. */
const ENDLESS_TURNS = 1000;
/** Of all things at one instant: one command can bring no more. */
const ENDLESS_EVENTS = 100_000;
