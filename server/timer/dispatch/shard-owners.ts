import { hash32 } from '../../runtime/hash32.ts';
import type { LiveNodes } from './live-nodes.ts';

const HEARTBEAT_EVERY_MS = 500;

interface Dependencies {
  readonly nodes: LiveNodes;
  readonly shards: number;
  /** Called when this node becomes the owner of a shard. */
  readonly onGained: (shard: number) => void;
}

/**
 * The shards that this node hands off. Nothing is acquired or passed on: each node reads the list of live nodes and
 * takes the shards for which it ranks first. Without a list it retains its shards.
 */
export class ShardOwners {
  readonly #on: Omit<Dependencies, 'shards'>;
  #shards: number;
  #live: readonly string[] = [];
  #owned: ReadonlySet<number> = new Set();

  constructor({ shards, ...dependencies }: Dependencies) {
    this.#on = dependencies;
    this.#shards = shards;
  }

  /** How many shards are this node's. */
  get held(): number {
    return this.#owned.size;
  }

  /** Live nodes at the last heartbeat, this one included; 0 before the first. */
  get live(): number {
    return this.#live.length;
  }

  owns(shard: number): boolean {
    return this.#owned.has(shard);
  }

  /** Changes the number of shards, with the nodes of the last heartbeat. */
  use(shards: number): void {
    this.#shards = shards;
    this.#owned = this.#choose();
  }

  tick = async (): Promise<number> => {
    this.#live = await this.#on.nodes.heartbeat();
    const before = this.#owned;
    this.#owned = this.#choose();
    for (const shard of this.#owned) if (!before.has(shard)) this.#on.onGained(shard);
    return HEARTBEAT_EVERY_MS;
  };

  /** The other nodes take its shards at their next heartbeat. */
  async leave(): Promise<void> {
    this.#live = [];
    this.#owned = new Set();
    await this.#on.nodes.leave();
  }

  #choose(): ReadonlySet<number> {
    const all = Array.from({ length: this.#shards }, (_, shard) => shard);
    return new Set(all.filter((shard) => rendezvous(shard, this.#live) === this.#on.nodes.self));
  }
}

/**
 * The owner of a shard: the node with the highest hash with the shard. Every node computes the same owner from the same
 * names. A node that comes or goes moves only its own shards.
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
