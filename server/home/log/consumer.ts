import type { HomeEvent } from '../../../shared/event.ts';

/** An event, with whose it is. */
export type PlayerEvent = HomeEvent & { readonly playerId: string };

/**
 * Somebody outside who hears all events of all players: push messages, quests, analytics. At least once, so `handle`
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
