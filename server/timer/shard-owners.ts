import type { LiveNodes } from './live-nodes.ts';
import { rendezvous } from './rendezvous.ts';

const BEAT_EVERY_MS = 500;

interface Dependencies {
  readonly nodes: LiveNodes;
  readonly shards: number;
  /** Called when a shard has become this node's. */
  readonly onGained: (shard: number) => void;
}

/**
 * Which shards this node hands off. Nothing is acquired or handed over: each node looks who lives, and takes the
 * shards for which it comes first. While nobody can tell who lives it keeps what it had.
 */
export class ShardOwners {
  readonly #nodes: LiveNodes;
  readonly #shards: number;
  readonly #onGained: (shard: number) => void;
  #owned: ReadonlySet<number> = new Set();
  #live = 0;

  constructor({ nodes, shards, onGained }: Dependencies) {
    this.#nodes = nodes;
    this.#shards = shards;
    this.#onGained = onGained;
  }

  /** How many shards are this node's. */
  get held(): number {
    return this.#owned.size;
  }

  /** How many nodes lived at the last beat, this one among them; 0 before the first. */
  get live(): number {
    return this.#live;
  }

  owns(shard: number): boolean {
    return this.#owned.has(shard);
  }

  tick = async (): Promise<number> => {
    const live = await this.#nodes.beat();
    this.#live = live.length;
    const before = this.#owned;
    const all = Array.from({ length: this.#shards }, (_, shard) => shard);
    this.#owned = new Set(all.filter((shard) => rendezvous(shard, live) === this.#nodes.self));
    for (const shard of this.#owned) if (!before.has(shard)) this.#onGained(shard);
    return BEAT_EVERY_MS;
  };

  /** The others take its shards at their next beat. */
  async leave(): Promise<void> {
    this.#owned = new Set();
    this.#live = 0;
    await this.#nodes.leave();
  }
}
