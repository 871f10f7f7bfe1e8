import type { HomeEvent } from '../../../shared/event.ts';
import { isA } from '../../../shared/game-code.ts';
import { type Home, thingsOf } from '../../../shared/home.ts';
import type { Reply } from '../../../shared/protocol.ts';
import type { Seed } from '../../domain/chance.ts';
import { ModuleFault } from '../../domain/module-fault.ts';
import type { Modules } from '../../domain/modules.ts';
import { shownHome } from '../../domain/open-home.ts';

/** What one commit brought to one player's home. */
export interface Commit {
  readonly playerId: string;
  /** The home after it, as its player is shown it. */
  readonly home: Home;
  /** `seq` of the home before it. */
  readonly afterSeq: number;
  /** Things that differ from those of the home before it. */
  readonly touched: readonly ThingKey[];
  /** May be empty: then the home is newer than the one that was published before, and the log knows the rest. */
  readonly events: readonly HomeEvent[];
  readonly nowMs: number;
  /**
   * The replies: which of the events came of which command, those with `fromSeq <= seq <= reply.seq`. New ones in `seq`
   * order; of a command that was sent again the first reply, whose events lie before `afterSeq`.
   */
  readonly answers: readonly Answer[];
  /** When it was known, by the clock of the process that made it: for measuring alone. */
  readonly committedAtMs?: number;
  /** The player was erased: `home` is empty, and whatever was known of it is of an epoch that is over. */
  readonly isErased?: boolean;
  /** The home stands still. */
  readonly fault?: Fault;
}

/** A rule of this module failed on the thing. */
export interface Fault {
  readonly module: string;
  readonly thing: string;
}

export interface Answer {
  readonly commandId: string;
  readonly fromSeq: number;
  readonly reply: Reply;
}

export type Follower = (commit: Commit) => void;

/** A home as it is at `nowMs`. A player without one yet has `seq` 0 and what one begins with. */
export interface HomeView extends Pick<Commit, 'home' | 'nowMs' | 'fault'> {
  readonly epoch: string;
}

export interface ThingKey {
  readonly module: string;
  readonly id: string;
}

/**
 * Things that came, changed or went. States are never changed in place, so another object is another state. It costs what
 * the touched modules have.
 */
export const touchedThings = (before: Home, after: Home): readonly ThingKey[] => {
  const modules = new Set([...Object.keys(before.things), ...Object.keys(after.things)]);
  return [...modules].flatMap((module) => {
    const earlier = thingsOf(before, module);
    const later = thingsOf(after, module);
    if (earlier === later) return [];
    const saved = Object.keys(later).filter((id) => earlier[id] !== later[id]);
    const gone = Object.keys(earlier).filter((id) => later[id] === undefined);
    return [...saved, ...gone].map((id) => ({ module, id }));
  });
};

/** What came of the home as it was loaded. `after` may be as its player is shown it. */
export const commitOf = (
  before: Home,
  after: Home,
  what: Pick<Commit, 'events' | 'nowMs' | 'answers' | 'fault'>,
): Commit => ({
  playerId: after.playerId,
  home: after,
  afterSeq: before.seq,
  touched: touchedThings(before, after),
  ...what,
});

/** As its player is shown it; as it is, and why, where a rule of what the first command will bring fails. */
export const shownOrAsIs = (
  modules: Modules,
  home: Home,
  opened: { readonly nowMs: number; readonly seed: Seed },
): { home: Home; fault?: ModuleFault } => {
  try {
    return { home: shownHome(modules, home, opened) };
  } catch (fault) {
    if (!isA(fault, ModuleFault)) throw fault;
    return { home, fault };
  }
};

/** Names one life of the database and, of an id that was erased, which life of it: their `seq` do not compare. */
export const epochOf = (epoch: string, life: number | undefined): string => (life ? `${epoch}.${life}` : epoch);
