import type { HomeEvent } from '../../../shared/event.ts';
import { handleRejection } from '../../../shared/game-code.ts';
import { type Home, type Thing, thingsOf } from '../../../shared/home.ts';
import { type Commit, commitOf, type Follower, type HomeView } from '../model/commit.ts';
import type { HomeMeasure } from '../model/home-measurement.ts';

/**
 * Sends commits to the other processes, where the player's rooms may be. Messages may be lost, doubled or late: rooms
 * see gaps in `seq` and read the log. Never throws.
 */
export interface EventChannel {
  /** The home of the message has only the touched things. */
  publish(commit: Commit): void;
  /** Calls with the commits of other processes for this player. Returns the unsubscriber. */
  subscribe(playerId: string, listener: (commit: Commit) => void): () => void;
}

export interface HomeFeedOptions {
  /** Called when a follower threw; the other followers are called all the same. */
  readonly onFault: (error: unknown) => void;
  /** The channel to and from other processes. Default: there are none. */
  readonly channel?: EventChannel | undefined;
  /** Called when another process changed a home in a way that is unknown here: settling publishes the whole home. */
  readonly onGap: (playerId: string) => void;
  readonly measure?: HomeMeasure | undefined;
}

interface Followed {
  readonly followers: Set<Follower>;
  readonly unsubscribe: (() => void) | undefined;
  /** The newest `seq` that was published to the followers. */
  seq: number;
  /** The home at that `seq`, to apply changes of other processes. Undefined without other processes. */
  home: Home | undefined;
  /** Commits that arrived before the home that they changed. */
  early: readonly Commit[];
}

/** More commits wait only while Postgres is away; then the log is read. */
const MOST_EARLY = 100;

/**
 * Publishes each commit of a player to the player's followers: in this process at once, in others through the channel,
 * which carries only the touched things.
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
    if (commit.events.length > 0 || commit.isErased || commit.fault) this.#on.channel?.publish(touchedPart(commit));
  }

  /** A game with its own inventory changed the items without an event: other processes that follow the home look, too. */
  publishStock({ home, nowMs }: HomeView): void {
    this.#on.channel?.publish(touchedPart(commitOf(home, home, { events: [], nowMs, answers: [] })));
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
    const isOfStock = part.events.length === 0 && !part.isErased && !part.fault;
    const whole = isOfStock ? undefined : wholeCommit(part, followed.home);
    if (whole) {
      this.#publish(whole);
    } else {
      if (!isOfStock) followed.early = [...followed.early, part].slice(-MOST_EARLY);
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
    // Earlier commits go first: a follower that begins with this one must not miss them.
    for (const part of early) if (part.home.seq <= home.seq) this.#deliver({ ...part, home }, followed);
    this.#deliver(commit, followed);
    if (isErased) return;
    for (const part of early) {
      const whole = part.home.seq > home.seq && wholeCommit(part, followed.home);
      // The look for it is under way. Another one could find no more: the part may be of an erased home.
      if (whole) this.#publish(whole);
    }
  }

  #deliver(commit: Commit, { followers }: Followed): void {
    for (const follower of [...followers]) {
      try {
        // A game's follower may be async.
        const returned: unknown = follower(commit);
        if (returned !== undefined) handleRejection(returned, this.#on.onFault);
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
    // The commit may come from another machine with a clock that differs by more than this.
    observe({ type: 'pushed', tookMs: Math.max(0, clock.nowMs() - committedAtMs) });
  }
}

/** The commit for other processes: its home has only the touched things, and no counters, which no client sees. */
export const touchedPart = (commit: Commit): Commit => ({
  ...commit,
  home: { ...commit.home, counters: {}, things: withTouched({}, commit) },
});

/** Rebuilds the whole commit from the home that this process knows. Undefined: the commit changed another state of it. */
export const wholeCommit = (part: Commit, known: Home | undefined): Commit | undefined => {
  if (part.isErased) return part;
  if (!known) return undefined;
  if (part.home.seq <= known.seq) {
    const { fault, ...others } = part;
    // An older fault says nothing of this home.
    return { ...others, home: known, ...(fault && part.home.seq === known.seq && { fault }) };
  }
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
  /** More events follow. */
  readonly truncated?: boolean;
}

/** The first events that fit: at most `limit` and `maxBytes` of JSON, but at least one. */
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
