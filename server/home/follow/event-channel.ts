import type { Commit } from '../model/commit.ts';

/**
 * Brings commits to the other processes, where the player's rooms may be. Messages may get lost, doubled or late: rooms
 * see gaps in `seq` and read the log. Nothing throws.
 */
export interface EventChannel {
  /** Its home has the touched things alone. */
  publish(commit: Commit): void;
  /** Calls with what other processes publish about this player, until the function that it returns is called. */
  subscribe(playerId: string, listener: (commit: Commit) => void): () => void;
}
