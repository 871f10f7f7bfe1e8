import type { Commit, Follower } from './homes.ts';

/** Brings each commit of a player to whoever follows that player in this process. */
export class HomeFeed {
  readonly #followers = new Map<string, Set<Follower>>();
  readonly #onFault: (error: unknown) => void;

  /** `onFault` hears of a follower that threw; the others are told all the same. */
  constructor(onFault: (error: unknown) => void) {
    this.#onFault = onFault;
  }

  follow(playerId: string, follower: Follower): () => void {
    const followers = this.#followers.get(playerId) ?? new Set();
    this.#followers.set(playerId, followers.add(follower));
    return () => {
      followers.delete(follower);
      if (followers.size === 0 && this.#followers.get(playerId) === followers) this.#followers.delete(playerId);
    };
  }

  isFollowed(playerId: string): boolean {
    return this.#followers.has(playerId);
  }

  publish(commit: Commit): void {
    for (const follower of [...(this.#followers.get(commit.playerId) ?? [])]) {
      try {
        follower(commit);
      } catch (error) {
        this.#onFault(error);
      }
    }
  }
}
