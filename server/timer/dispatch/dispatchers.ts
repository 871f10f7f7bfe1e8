import type { Loop } from '../../runtime/loop.ts';
import type { StoreClock } from '../clock/store-clock.ts';
import type { DueIndex } from '../index/due-index.ts';
import { Dispatcher } from './dispatcher.ts';
import type { LiveNodes } from './live-nodes.ts';
import { ShardOwners } from './shard-owners.ts';

interface Dependencies {
  readonly index: Pick<DueIndex, 'inUse' | 'handOffs'>;
  readonly nodes: LiveNodes;
  readonly storeClock: StoreClock;
  readonly limit: number;
  readonly makeLoop: (name: string, tick: () => Promise<number>) => Loop;
}

interface OfShard {
  readonly dispatcher: Dispatcher;
  readonly loop: Loop;
}

/** A dispatcher for each shard of the generation in use; runs those of the shards that this node owns. */
export class Dispatchers {
  readonly #on: Dependencies;
  readonly #owners: ShardOwners;
  readonly #heartbeat: Loop;
  #all: readonly OfShard[];
  #isRunning = false;
  /** Last turns of dispatchers of earlier generations. */
  readonly #ending = new Set<Promise<void>>();
  #stopListening: (() => void) | undefined;

  constructor(dependencies: Dependencies) {
    const { index, nodes, makeLoop } = dependencies;
    this.#on = dependencies;
    this.#owners = new ShardOwners({
      nodes,
      shards: index.inUse.shards,
      onGained: (shard) => this.#all[shard]?.loop.wake(),
    });
    this.#heartbeat = makeLoop('beat', this.#owners.tick);
    this.#all = this.#make();
  }

  /** Call it when the index changes to another generation. */
  renew(): void {
    for (const { loop } of this.#all) {
      const ended = loop.stop();
      this.#ending.add(ended);
      void ended.then(() => this.#ending.delete(ended));
    }
    this.#owners.use(this.#on.index.inUse.shards);
    this.#all = this.#make();
    if (this.#isRunning) for (const { loop } of this.#all) loop.start();
  }

  get owners(): Pick<ShardOwners, 'held' | 'live'> {
    return this.#owners;
  }

  start(): void {
    this.#isRunning = true;
    this.#stopListening = this.#on.index.handOffs.onEarlierHead((shard, fireAtMs) => {
      const ofShard = this.#all[shard];
      if (ofShard?.dispatcher.isEarlier(shard, fireAtMs)) ofShard.loop.wake();
    });
    for (const loop of [this.#heartbeat, ...this.#all.map(({ loop }) => loop)]) loop.start();
  }

  /** Stops handing off; the other nodes take the shards at once. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#stopListening?.();
    await Promise.all([this.#heartbeat, ...this.#all.map(({ loop }) => loop)].map((loop) => loop.stop()));
    await Promise.all(this.#ending);
    // If this fails, the others notice a little later that this node is silent.
    await this.#owners.leave().catch(() => undefined);
  }

  /** For tests: hands off all that is due, of every shard. */
  async handOffAll(): Promise<void> {
    for (const { dispatcher } of this.#all) while ((await dispatcher.handOff()) === 0);
  }

  #make(): readonly OfShard[] {
    const { index, storeClock, limit, makeLoop } = this.#on;
    return Array.from({ length: index.inUse.shards }, (_, shard) => {
      const isOwn = (): boolean => this.#owners.owns(shard);
      const dispatcher = new Dispatcher({ index, shard, isOwn, storeClock, limit });
      return { dispatcher, loop: makeLoop(`dispatch ${shard}`, dispatcher.tick) };
    });
  }
}
