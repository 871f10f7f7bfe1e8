import type { Home } from '../../../shared/home.ts';
import type { Commit, Follower } from '../model/commit.ts';
import type { HomeMeasure } from '../model/home-measurement.ts';
import type { EventChannel } from './event-channel.ts';
import { partOf, wholeOf } from './travelling.ts';

export interface HomeFeedOptions {
  /** Hears of a follower that threw; the others are told all the same. */
  readonly onFault: (error: unknown) => void;
  /** To other processes and from them. Default: there are none. */
  readonly channel?: EventChannel | undefined;
  /** Another process changed a home that is not known here as it was before: a look has to publish it. */
  readonly onGap: (playerId: string) => void;
  readonly measure?: HomeMeasure | undefined;
}

interface Followed {
  readonly followers: Set<Follower>;
  readonly unsubscribe: (() => void) | undefined;
  /** The newest that the followers have been told of. */
  seq: number;
  /** The same, for what other processes change of it; not kept where there are none. */
  home: Home | undefined;
  /** Came before the home that they changed. */
  early: readonly Commit[];
}

/** More than these wait for one look only while Postgres is away; then the log is read. */
const MOST_EARLY = 100;

/**
 * Brings each commit of a player to the player's followers: in this process at once, in others by the channel, which
 * carries the touched things alone.
 */
export class HomeFeed {
  readonly #options: HomeFeedOptions;
  readonly #followed = new Map<string, Followed>();

  constructor(options: HomeFeedOptions) {
    this.#options = options;
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
    if (commit.events.length > 0 || commit.isErased) this.#options.channel?.publish(partOf(commit));
  }

  #begin(playerId: string): Followed {
    const unsubscribe = this.#options.channel?.subscribe(playerId, (commit) => this.#receive(commit));
    const followed = { followers: new Set<Follower>(), unsubscribe, seq: 0, home: undefined, early: [] };
    this.#followed.set(playerId, followed);
    return followed;
  }

  #receive(part: Commit): void {
    const followed = this.#followed.get(part.playerId);
    if (!followed) return;
    const whole = wholeOf(part, followed.home);
    if (whole) {
      this.#tell(whole);
    } else {
      followed.early = [...followed.early, part].slice(-MOST_EARLY);
      this.#options.onGap(part.playerId);
    }
  }

  #tell(commit: Commit): void {
    const followed = this.#followed.get(commit.playerId);
    if (!followed) return;
    const { home, isErased } = commit;
    followed.seq = isErased ? 0 : Math.max(followed.seq, home.seq);
    if (followed.unsubscribe && (isErased || home.seq >= (followed.home?.seq ?? 0))) followed.home = home;
    const { early } = followed;
    followed.early = [];
    // What led to this home is told before it: a follower that begins with the first news must not miss it.
    for (const part of early) if (part.home.seq <= home.seq) this.#deliver({ ...part, home }, followed);
    this.#deliver(commit, followed);
    for (const part of early) if (part.home.seq > home.seq && !isErased) this.#receive(part);
  }

  #deliver(commit: Commit, { followers }: Followed): void {
    for (const follower of [...followers]) {
      try {
        follower(commit);
      } catch (error) {
        this.#options.onFault(error);
      }
    }
    this.#measurePush(commit);
  }

  #measurePush({ committedAtMs, events }: Commit): void {
    const { measure } = this.#options;
    if (!measure || committedAtMs === undefined || events.length === 0) return;
    const { clock, observe } = measure;
    // It may come from another machine, whose clock differs by more than it took.
    observe({ type: 'pushed', tookMs: Math.max(0, clock.nowMs() - committedAtMs) });
  }
}
