import type { HomeEvent } from '../../../shared/event.ts';
import { type Home, type MadeMaps, newHome, thingsOf } from '../../../shared/home.ts';
import { thingDueAt } from '../../domain/due-of.ts';
import { evolve } from '../../domain/evolve.ts';
import type { Modules } from '../../domain/modules.ts';

/** The rows of one player, in one snapshot. */
export interface StoredPlayer {
  readonly home: Home;
  readonly checkpoint: Home | undefined;
  /** After the checkpoint, in order. */
  readonly events: readonly HomeEvent[];
  /** The stored due time of each thing. */
  readonly dueTimes: readonly {
    readonly module: string;
    readonly thing: string;
    readonly dueAtMs: number | undefined;
  }[];
}

export interface PlayerRange {
  /** Exclusive. */
  readonly after: string;
  /** Inclusive. */
  readonly upTo: string;
  readonly players: number;
}

/** The reads of the checker. Errors of the driver are thrown unchanged. */
export interface VerifyStore {
  countPlayers(): Promise<number>;
  /** The next `limit` players in order of their ids. */
  nextRange(after: string, limit: number): Promise<PlayerRange | undefined>;
  /** Reads one snapshot. Without `items` the stock is in the game's own inventory, and is left out. */
  read(range: PlayerRange): Promise<readonly StoredPlayer[]>;
  /** Rows of players without a home: table and player. */
  orphans(limit: number): Promise<readonly { readonly table: string; readonly playerId: string }[]>;
}

/** A difference between the log and the rows. */
export interface HomeDifference {
  readonly playerId: string;
  /** The path in the home or the tables. */
  readonly at: string;
  /** The value that the log gives. */
  readonly expected: unknown;
  /** The value in the rows. */
  readonly found: unknown;
  /** The newest events, for the operator's investigation. */
  readonly events: readonly HomeEvent[];
}

export interface VerifyProgress {
  readonly done: number;
  readonly total: number;
  readonly events: number;
  readonly differences: number;
}

export interface Verified {
  readonly players: number;
  readonly events: number;
  readonly differences: number;
  /** False if it was stopped early. */
  readonly isComplete: boolean;
}

export interface VerifyOptions {
  readonly modules: Modules;
  readonly store: VerifyStore;
  /** Whether stocks are in our own table. */
  readonly checksItems: boolean;
  readonly onDifference: (difference: HomeDifference) => void;
  readonly onProgress: (progress: VerifyProgress) => void;
  readonly signal: AbortSignal;
  readonly pageSize?: number;
  readonly readers?: number;
}

const PAGE = 500;
const READERS = 3;
const NEWEST = 5;
const MOST_ORPHANS = 100;

/** Folds every log and compares it with home, stock, things and due times. They must be exactly equal. */
export const verify = async (options: VerifyOptions): Promise<Verified> => {
  const { store, signal, onDifference, onProgress, pageSize = PAGE, readers = READERS } = options;
  const total = await store.countPlayers();
  let [players, events, differences, after] = [0, 0, 0, ''];
  const report = (difference: HomeDifference): void => {
    differences += 1;
    onDifference(difference);
  };
  // Ranges are assigned one after another; several are read at once.
  let next = Promise.resolve<PlayerRange | undefined>(undefined);
  const take = (): Promise<PlayerRange | undefined> => {
    next = next.then(async () => {
      const range = await store.nextRange(after, pageSize);
      if (range) after = range.upTo;
      return range;
    });
    return next;
  };
  const work = async (): Promise<void> => {
    while (!signal.aborted) {
      const range = await take();
      if (!range) return;
      for (const player of await store.read(range)) {
        players += 1;
        events += player.events.length;
        for (const difference of homeDifferences(options.modules, player, options.checksItems)) report(difference);
      }
      onProgress({ done: players, total: Math.max(total, players), events, differences });
    }
  };
  await Promise.all(Array.from({ length: readers }, work));
  if (!signal.aborted) {
    for (const { table, playerId } of await store.orphans(MOST_ORPHANS)) {
      report({ playerId, at: table, expected: undefined, found: 'rows without a home', events: [] });
    }
  }
  return { players, events, differences, isComplete: !signal.aborted };
};

/** The differences between the rows of one player and its log. */
export const homeDifferences = (
  modules: Modules,
  player: StoredPlayer,
  checksItems = true,
): readonly HomeDifference[] => {
  const { home, checkpoint, events, dueTimes } = player;
  const { playerId } = home;
  const newest = events.slice(-NEWEST);
  const found: HomeDifference[] = [];
  const add = (at: string, expected: unknown, actual: unknown): void => {
    found.push({ playerId, at, expected, found: actual, events: newest });
  };
  const made: MadeMaps = new WeakSet();
  let folded = checkpoint ?? newHome(playerId);
  for (const event of events) {
    if (event.seq !== folded.seq + 1) {
      add('log', `event ${folded.seq + 1}`, `event ${event.seq}`);
      return found;
    }
    folded = evolve(modules, folded, event, made);
  }
  for (const [item, count] of checksItems ? Object.entries(home.items) : []) {
    if (!Number.isSafeInteger(count)) add(`items.${item}`, `at most ${Number.MAX_SAFE_INTEGER}`, count);
  }
  compare('', checksItems ? folded : { ...folded, items: {} }, checksItems ? home : { ...home, items: {} }, add);
  for (const { module: name, thing: id, dueAtMs } of dueTimes) {
    const module = modules.named(name);
    const thing = thingsOf(folded, name)[id];
    const expected = module && thing && thingDueAt(module, id, thing);
    if (module && expected !== dueAtMs) add(`things.${name}.${id}.due_at`, expected, dueAtMs);
  }
  return found;
};

type Add = (at: string, expected: unknown, found: unknown) => void;

/** Compares leaf by leaf. An undefined field counts as missing. */
const compare = (at: string, expected: unknown, found: unknown, add: Add): void => {
  if (isPart(expected) && isPart(found)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(found)])) {
      compare(at === '' ? key : `${at}.${key}`, Reflect.get(expected, key), Reflect.get(found, key), add);
    }
  } else if (!Object.is(expected, found)) add(at, expected, found);
};

const isPart = (value: unknown): value is object => typeof value === 'object' && value !== null;
