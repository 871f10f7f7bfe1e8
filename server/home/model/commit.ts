import type { HomeEvent } from '../../../shared/event.ts';
import { isA } from '../../../shared/game-code.ts';
import { type Home, thingsOf } from '../../../shared/home.ts';
import type { Reply } from '../../../shared/protocol.ts';
import type { Seed } from '../../domain/chance.ts';
import { ModuleFault } from '../../domain/module-fault.ts';
import type { Modules } from '../../domain/modules.ts';
import { shownHome } from '../../domain/open-home.ts';

/** The changes of one commit to one player's home. */
export interface Commit {
  readonly playerId: string;
  /** The home after the commit, as its player sees it. */
  readonly home: Home;
  /** `seq` of the home before the commit. */
  readonly afterSeq: number;
  /** Things that differ from the home before. */
  readonly touched: readonly ThingKey[];
  /** May be empty: then the home is newer than the last published one, and the log has the events between. */
  readonly events: readonly HomeEvent[];
  readonly nowMs: number;
  /**
   * The replies. The events of a command are those with `fromSeq <= seq <= reply.seq`. New commands come in `seq`
   * order; a repeated command has its first reply, with events before `afterSeq`.
   */
  readonly answers: readonly Answer[];
  /** The time of the commit by the clock of its process; only for measuring. */
  readonly committedAtMs?: number;
  /** The player was erased: `home` is empty, and earlier states belong to an ended epoch. */
  readonly isErased?: boolean;
  /** Set if the home stands still. */
  readonly fault?: Fault;
}

/** A rule of this module failed on the thing. */
export interface Fault {
  readonly module: string;
  readonly thing: string;
}

export interface Answer {
  readonly commandId: string;
  /** Of the command's body: another session may have another command of this id under way. Older processes send none. */
  readonly hash?: string;
  readonly fromSeq: number;
  readonly reply: Reply;
}

export type Follower = (commit: Commit) => void;

/** A home at `nowMs`. A player without one has `seq` 0 and the first things of a new home. */
export interface HomeView extends Pick<Commit, 'home' | 'nowMs' | 'fault'> {
  readonly epoch: string;
}

export interface ThingKey {
  readonly module: string;
  readonly id: string;
}

/**
 * Things that were added, changed or removed. States are immutable, so another object is another state. The cost is
 * proportional to the touched modules.
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

/** The commit between two states of a home. `after` may be the state that the player sees. */
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

/** The home as its player sees it; if a rule for the first events fails, the stored home and the fault. */
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

/** Names one life of the database, and one life of an erased id: `seq` of different epochs cannot be compared. */
export const epochOf = (epoch: string, life: number | undefined): string => (life ? `${epoch}.${life}` : epoch);
