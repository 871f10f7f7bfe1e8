import type { HomeEvent } from '../../../shared/event.ts';
import { type Home, type Thing, thingsOf } from '../../../shared/home.ts';
import type { Commit, Follower } from '../model/commit.ts';
import type { HomeMeasure } from '../model/home-measurement.ts';

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

export interface HomeFeedOptions {
  /** A follower threw; the others are called all the same. */
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
  /** The newest that was published to the followers. */
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
  readonly #on: HomeFeedOptions;
  readonly #followed = new Map<string, Followed>();

  constructor(options: HomeFeedOptions) {
    this.#on = options;
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

  /** The newest `seq` that was published to followers, by player. */
  published(): ReadonlyMap<string, number> {
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
    this.#publish(commit);
    if (commit.events.length > 0 || commit.isErased) this.#on.channel?.publish(touchedPart(commit));
  }

  #begin(playerId: string): Followed {
    const unsubscribe = this.#on.channel?.subscribe(playerId, (commit) => this.#receive(commit));
    const followed = { followers: new Set<Follower>(), unsubscribe, seq: 0, home: undefined, early: [] };
    this.#followed.set(playerId, followed);
    return followed;
  }

  #receive(part: Commit): void {
    const followed = this.#followed.get(part.playerId);
    if (!followed) return;
    const whole = wholeCommit(part, followed.home);
    if (whole) {
      this.#publish(whole);
    } else {
      followed.early = [...followed.early, part].slice(-MOST_EARLY);
      this.#on.onGap(part.playerId);
    }
  }

  #publish(commit: Commit): void {
    const followed = this.#followed.get(commit.playerId);
    if (!followed) return;
    const { home, isErased } = commit;
    followed.seq = isErased ? 0 : Math.max(followed.seq, home.seq);
    if (followed.unsubscribe && (isErased || home.seq >= (followed.home?.seq ?? 0))) followed.home = home;
    const { early } = followed;
    followed.early = [];
    // What led to this home goes before it: a follower that begins with the first news must not miss it.
    for (const part of early) if (part.home.seq <= home.seq) this.#deliver({ ...part, home }, followed);
    this.#deliver(commit, followed);
    for (const part of early) if (part.home.seq > home.seq && !isErased) this.#receive(part);
  }

  #deliver(commit: Commit, { followers }: Followed): void {
    for (const follower of [...followers]) {
      try {
        follower(commit);
      } catch (error) {
        this.#on.onFault(error);
      }
    }
    this.#measurePush(commit);
  }

  #measurePush({ committedAtMs, events }: Commit): void {
    const { measure } = this.#on;
    if (!measure || committedAtMs === undefined || events.length === 0) return;
    const { clock, observe } = measure;
    // It may come from another machine, whose clock differs by more than it took.
    observe({ type: 'pushed', tookMs: Math.max(0, clock.nowMs() - committedAtMs) });
  }
}

/** The commit as it goes to other processes: its home has the touched things alone, and no counters, which no client sees. */
export const touchedPart = (commit: Commit): Commit => ({
  ...commit,
  home: { ...commit.home, counters: {}, things: withTouched({}, commit) },
});

/** The whole commit again, on the home as this process knows it. Undefined: that is not the home which it changed. */
export const wholeCommit = (part: Commit, known: Home | undefined): Commit | undefined => {
  if (part.isErased) return part;
  if (!known) return undefined;
  if (part.home.seq <= known.seq) return { ...part, home: known };
  if (part.afterSeq !== known.seq) return undefined;
  return { ...part, home: { ...part.home, things: withTouched(known.things, part) } };
};

const withTouched = (things: Home['things'], { home, touched }: Commit): Home['things'] => {
  const all = { ...things };
  for (const [module, keys] of Map.groupBy(touched, (key) => key.module)) {
    const now = thingsOf(home, module);
    const own: Record<string, Thing> = Object.assign(Object.create(null), things[module]);
    for (const { id } of keys) {
      const thing = Object.hasOwn(now, id) ? now[id] : undefined;
      if (thing) own[id] = thing;
      else delete own[id];
    }
    if (Object.keys(own).length > 0) all[module] = own;
    else delete all[module];
  }
  return all;
};

export interface LogPage {
  readonly events: readonly HomeEvent[];
  /** There are more after the last one. */
  readonly truncated?: boolean;
}

/** As many of the events as fit: at most `limit` and `maxBytes` of JSON, but at least one. */
export const pageOf = (events: readonly HomeEvent[], limit: number, maxBytes = Number.POSITIVE_INFINITY): LogPage => {
  const page: HomeEvent[] = [];
  let bytes = 0;
  for (const event of events) {
    bytes += Buffer.byteLength(JSON.stringify(event));
    if (page.length >= limit || (page.length > 0 && bytes > maxBytes)) return { events: page, truncated: true };
    page.push(event);
  }
  return { events: page };
};
