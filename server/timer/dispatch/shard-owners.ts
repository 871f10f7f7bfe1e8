import { hash32 } from '../../runtime/hash32.ts';
import type { LiveNodes } from './live-nodes.ts';

const HEARTBEAT_EVERY_MS = 500;

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
  readonly #onGained: (shard: number) => void;
  #shards: number;
  #live: readonly string[] = [];
  #owned: ReadonlySet<number> = new Set();

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
    return this.#live.length;
  }

  owns(shard: number): boolean {
    return this.#owned.has(shard);
  }

  /** Other shards from now on, among the nodes that lived at the last beat. */
  use(shards: number): void {
    this.#shards = shards;
    this.#owned = this.#choose();
  }

  tick = async (): Promise<number> => {
    this.#live = await this.#nodes.heartbeat();
    const before = this.#owned;
    this.#owned = this.#choose();
    for (const shard of this.#owned) if (!before.has(shard)) this.#onGained(shard);
    return HEARTBEAT_EVERY_MS;
  };

  /** The others take its shards at their next beat. */
  async leave(): Promise<void> {
    this.#live = [];
    this.#owned = new Set();
    await this.#nodes.leave();
  }

  #choose(): ReadonlySet<number> {
    const all = Array.from({ length: this.#shards }, (_, shard) => shard);
    return new Set(all.filter((shard) => rendezvous(shard, this.#live) === this.#nodes.self));
  }
}

/**
 * The node that a shard belongs to: the one whose hash with the shard is highest. Every node computes the same from
 * the same names, and a node that comes or goes moves only the shards that it gets or had.
 */
export const rendezvous = (shard: number, nodes: readonly string[]): string | undefined => {
  let first: string | undefined;
  let highest = -1;
  for (const node of [...nodes].sort()) {
    const weight = hash32(`${shard} ${node}`);
    if (weight > highest) [first, highest] = [node, weight];
  }
  return first;
};
