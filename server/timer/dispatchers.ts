import { Dispatcher } from './dispatcher.ts';
import type { DueIndex } from './due-index.ts';
import type { LiveNodes } from './live-nodes.ts';
import type { Loop } from './loop.ts';
import { ShardOwners } from './shard-owners.ts';
import type { StoreClock } from './store-clock.ts';

interface Dependencies {
  readonly index: DueIndex;
  readonly nodes: LiveNodes;
  readonly storeClock: StoreClock;
  readonly limit: number;
  readonly makeLoop: (name: string, tick: () => Promise<number>) => Loop;
}

/** A dispatcher for each shard; those of the shards that are this node's turn. */
export class Dispatchers {
  readonly #index: DueIndex;
  readonly #owners: ShardOwners;
  readonly #beat: Loop;
  readonly #all: readonly { readonly dispatcher: Dispatcher; readonly loop: Loop }[];
  #stopListening: (() => void) | undefined;

  /** For the shards that the index has now. */
  constructor({ index, nodes, storeClock, limit, makeLoop }: Dependencies) {
    this.#index = index;
    this.#owners = new ShardOwners({
      ...{ nodes, shards: index.shards },
      onGained: (shard) => this.#all[shard]?.loop.wake(),
    });
    this.#beat = makeLoop('beat', this.#owners.tick);
    this.#all = Array.from({ length: index.shards }, (_, shard) => {
      const isOwn = (): boolean => this.#owners.owns(shard);
      const dispatcher = new Dispatcher({ index, shard, isOwn, storeClock, limit });
      return { dispatcher, loop: makeLoop(`dispatch ${shard}`, dispatcher.tick) };
    });
  }

  get owners(): Pick<ShardOwners, 'held' | 'live'> {
    return this.#owners;
  }

  start(): void {
    this.#stopListening = this.#index.onEarlierHead((shard, fireAtMs) => {
      for (const { dispatcher, loop } of this.#all) if (dispatcher.isEarlier(shard, fireAtMs)) loop.wake();
    });
    for (const loop of [this.#beat, ...this.#all.map(({ loop }) => loop)]) loop.start();
  }

  /** Hands nothing off any more; the other nodes take the shards at once. */
  async stop(): Promise<void> {
    this.#stopListening?.();
    await Promise.all([this.#beat, ...this.#all.map(({ loop }) => loop)].map((loop) => loop.stop()));
    // Unsaid, the others notice a little later by this node's silence.
    await this.#owners.leave().catch(() => undefined);
  }

  /** For tests: hands off all that is due, of every shard. */
  async handOffAll(): Promise<void> {
    for (const { dispatcher } of this.#all) while ((await dispatcher.handOff()) === 0);
  }
}
