import type { HomeMeasure } from '../model/home-measurement.ts';
import type { Commit, Follower } from '../model/homes.ts';
import type { EventChannel } from './event-channel.ts';

interface Followed {
  readonly followers: Set<Follower>;
  readonly unsubscribe: (() => void) | undefined;
  /** The newest that the followers have been told of. */
  seq: number;
}

/** Brings each commit of a player to whoever follows that player: in this process at once, in others by the channel. */
export class HomeFeed {
  readonly #followed = new Map<string, Followed>();
  readonly #channel: EventChannel | undefined;
  readonly #onFault: (error: unknown) => void;
  readonly #measure: HomeMeasure | undefined;

  /** `onFault` hears of a follower that threw; the others are told all the same. */
  constructor(onFault: (error: unknown) => void, channel?: EventChannel, measure?: HomeMeasure) {
    this.#onFault = onFault;
    this.#measure = measure;
    this.#channel = channel;
  }

  follow(playerId: string, follower: Follower): () => void {
    const followed = this.#followed.get(playerId) ?? this.#begin(playerId);
    followed.followers.add(follower);
    return () => {
      followed.followers.delete(follower);
      if (followed.followers.size > 0 || this.#followed.get(playerId) !== followed) return;
      this.#followed.delete(playerId);
      followed.unsubscribe?.();
    };
  }

  /** The newest `seq` that followers were told of, by player. */
  told(): ReadonlyMap<string, number> {
    return new Map([...this.#followed].map(([playerId, { seq }]) => [playerId, seq]));
  }

  isFollowed(playerId: string): boolean {
    return this.#followed.has(playerId);
  }

  /** How many homes are followed here, and by how many followers. */
  get size(): { readonly homes: number; readonly followers: number } {
    const followers = this.#followed.values().reduce((sum, followed) => sum + followed.followers.size, 0);
    return { homes: this.#followed.size, followers };
  }

  publish(commit: Commit): void {
    this.#tell(commit);
    if (commit.events.length > 0 || commit.isErased) this.#channel?.publish(commit);
  }

  #begin(playerId: string): Followed {
    const unsubscribe = this.#channel?.subscribe(playerId, (commit) => this.#tell(commit));
    const followed = { followers: new Set<Follower>(), unsubscribe, seq: 0 };
    this.#followed.set(playerId, followed);
    return followed;
  }

  #tell(commit: Commit): void {
    const followed = this.#followed.get(commit.playerId);
    if (!followed) return;
    followed.seq = commit.isErased ? 0 : Math.max(followed.seq, commit.home.seq);
    for (const follower of [...followed.followers]) {
      try {
        follower(commit);
      } catch (error) {
        this.#onFault(error);
      }
    }
    this.#measurePush(commit);
  }

  #measurePush({ committedAtMs, events }: Commit): void {
    if (!this.#measure || committedAtMs === undefined || events.length === 0) return;
    const { clock, observe } = this.#measure;
    // It may come from another machine, whose clock differs by more than it took.
    observe({ type: 'pushed', tookMs: Math.max(0, clock.nowMs() - committedAtMs) });
  }
}
