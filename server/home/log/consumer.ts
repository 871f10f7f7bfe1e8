import type { HomeEvent } from '../../../shared/event.ts';

/** An event with its player. */
export type PlayerEvent = HomeEvent & { readonly playerId: string };

/**
 * The game's code that reads all events of all players: push messages, quests, analytics. At least once, so `handle`
 * must tolerate repetitions (`playerId`, `seq` and `at` name an event). Each player's events come in `seq` order. Consumers
 * never delay commands. One process at a time reads for a consumer, and goes on where the last one stopped.
 */
export interface Consumer {
  /** The name under which its place in the log is stored. */
  readonly name: string;
  /** Where a new name begins. Default `now`: with events after its first boot (or a moment before). */
  readonly from?: 'now' | 'oldest';
  /** After an error the same events come again, with pauses that grow to a minute. `signal` aborts when the process stops. */
  handle(events: readonly PlayerEvent[], signal: AbortSignal): Promise<void>;
}

/** A place in the log of all players, ordered by `tx`, `playerId`, `seq`. */
export interface ConsumerPlace {
  readonly tx: number;
  readonly playerId: string;
  readonly seq: number;
}

export interface ConsumerPage {
  readonly events: readonly PlayerEvent[];
  /** The page's begin (exclusive) and end. */
  readonly from: ConsumerPlace;
  readonly to: ConsumerPlace;
}

/** How far each consumer has read the log of all players. Errors of the world are thrown unchanged. */
export interface ConsumerStore {
  /** Gives each new name its place; call it before the first `read`. Known names keep theirs. */
  register(consumers: readonly { readonly name: string; readonly from: 'now' | 'oldest' }[]): Promise<void>;
  /** The next events, if no earlier event can still be committed; undefined: no such events, or no consumer has this name. */
  read(name: string, limit: number): Promise<ConsumerPage | undefined>;
  /** Moves the place from `from` to `to`; false when it is no longer at `from`, or the player of `to` was erased. */
  move(name: string, from: ConsumerPlace, to: ConsumerPlace): Promise<boolean>;
  /** Whether committed events are unread, even if an older open transaction still delays them. */
  isBehind(name: string): Promise<boolean>;
  /** By name, also for names that no process has any more: the number of committed, unread events, up to `atMost`. */
  lag(atMost: number): Promise<ReadonlyMap<string, number>>;
  /** Deletes the place: from now on no events are retained for this name. */
  forget(name: string): Promise<void>;
}
