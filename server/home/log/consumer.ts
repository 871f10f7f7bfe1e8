import type { HomeEvent } from '../../../shared/event.ts';

/** An event, with whose it is. */
export type PlayerEvent = HomeEvent & { readonly playerId: string };

/**
 * Code of the game that reads all events of all players: push messages, quests, analytics. At least once, so `handle`
 * must bear repetitions (`playerId` and `seq` name an event); each player's events in `seq` order; never in the way of
 * commands. One process at a time reads for a consumer, and goes on where the last one stopped.
 */
export interface Consumer {
  /** Its place in the log is kept under this name. */
  readonly name: string;
  /** Where a name that was never seen begins. Default `now`: with what happens from its first boot on (or a moment before). */
  readonly from?: 'now' | 'oldest';
  /** What it throws brings the same events again, after pauses that grow to a minute. `signal`: the process stops. */
  handle(events: readonly PlayerEvent[], signal: AbortSignal): Promise<void>;
}

/** A place in the log of all players; larger ones are later, in the order `tx`, `playerId`, `seq`. */
export interface ConsumerPlace {
  readonly tx: number;
  readonly playerId: string;
  readonly seq: number;
}

export interface ConsumerPage {
  readonly events: readonly PlayerEvent[];
  /** Where the page begins, exclusive, and ends. */
  readonly from: ConsumerPlace;
  readonly to: ConsumerPlace;
}

/** How far each consumer has read the log of all players. Errors of the world are thrown as they come. */
export interface ConsumerStore {
  /** Gives each new name its place; before the first `read`. Names that are known keep theirs. */
  register(consumers: readonly { readonly name: string; readonly from: 'now' | 'oldest' }[]): Promise<void>;
  /** The next events that are sure to have nothing before them any more; undefined: none, or no consumer has this name. */
  read(name: string, limit: number): Promise<ConsumerPage | undefined>;
  /** Moves the place from `from` to `to`; false when it is no longer at `from`. */
  move(name: string, from: ConsumerPlace, to: ConsumerPlace): Promise<boolean>;
  /** Whether anything that is committed was not read, also what an older open transaction holds back. */
  isBehind(name: string): Promise<boolean>;
  /** How many committed events each of these has not read, counted up to `atMost`; unknown names are left out. */
  lag(names: readonly string[], atMost: number): Promise<ReadonlyMap<string, number>>;
  /** Drops the place: nothing is kept for this name any more. */
  forget(name: string): Promise<void>;
}
