import type { Clock } from './clock.ts';
import { Dispatcher } from './dispatcher.ts';
import type { DueIndex } from './due-index.ts';
import type { Observe } from './engine-event.ts';
import type { EngineLog } from './engine-log.ts';
import type { Exclusive } from './exclusive.ts';
import type { FiringTools } from './firing-tools.ts';
import { IndexWriter } from './index-writer.ts';
import type { LiveNodes } from './live-nodes.ts';
import { loneNode } from './lone-node.ts';
import { Loop } from './loop.ts';
import { Pruner } from './pruner.ts';
import { Rebuilder } from './rebuilder.ts';
import { Reclaimer } from './reclaimer.ts';
import { ShardOwners } from './shard-owners.ts';
import { StoreClock } from './store-clock.ts';
import { Sweeper } from './sweeper.ts';
import { TimerFirer } from './timer-firer.ts';
import type { TimerKind } from './timer-kind.ts';
import { TimerKinds } from './timer-kinds.ts';
import { type TimerService, timerService } from './timer-service.ts';
import type { TimerStore } from './timer-store.ts';
import { Worker } from './worker.ts';

interface Dependencies {
  readonly store: TimerStore;
  readonly index: DueIndex;
  readonly clock: Clock;
  readonly log: EngineLog;
  /** The right to sweep and prune. */
  readonly exclusive: Exclusive;
  readonly retentionMs: number;
  /** Who hands which shards off. Default: this process all of them. */
  readonly nodes?: LiveNodes;
  /** Timers in a hand-off and in a batch of a worker. */
  readonly batchLimit?: number;
  readonly workers?: number;
  readonly observe?: Observe;
}

/** The timers of one process: the service to write them, and the loops that fire them. */
export class TimerEngine {
  readonly timers: TimerService;
  readonly indexWriter: IndexWriter;
  readonly #kinds = new TimerKinds();
  readonly #store: TimerStore;
  readonly #index: DueIndex;
  readonly #log: EngineLog;
  readonly #clock: Clock;
  readonly #storeClock: StoreClock;
  readonly #exclusive: Exclusive;
  readonly #firer: TimerFirer;
  readonly #sweeper: Sweeper;
  readonly #rebuilder: Rebuilder;
  readonly #batchLimit: number;
  readonly #owners: ShardOwners;
  readonly #beat: Loop;
  readonly #dispatchers: readonly { readonly dispatcher: Dispatcher; readonly loop: Loop }[];
  readonly #workers: readonly Loop[];
  readonly #care: readonly Loop[];
  #stopListening: (() => void) | undefined;

  constructor(dependencies: Dependencies) {
    const { store, index, clock, log, exclusive, retentionMs } = dependencies;
    const { batchLimit = 500, workers = 2, nodes = loneNode, observe = () => undefined } = dependencies;
    this.#store = store;
    this.#index = index;
    this.#clock = clock;
    this.#log = log;
    this.#exclusive = exclusive;
    this.#batchLimit = batchLimit;
    this.#storeClock = new StoreClock(store, clock);
    this.#rebuilder = new Rebuilder({ store, index, clock, observe, wake: () => rebuild.wake() });
    const rebuild = this.#loop('rebuild', this.#rebuilder.tick);
    this.indexWriter = new IndexWriter(index, () => this.#rebuilder.request());
    this.timers = timerService({ store, kinds: this.#kinds, indexWriter: this.indexWriter });
    const tools: FiringTools = {
      ...{ store, clock, log, observe },
      ...{ kinds: this.#kinds, indexWriter: this.indexWriter, storeClock: this.#storeClock },
    };
    this.#firer = new TimerFirer(tools);
    this.#sweeper = new Sweeper({
      ...{ tools, index, exclusive, firer: this.#firer, rebuilder: this.#rebuilder },
      limit: batchLimit,
    });
    const pruner = new Pruner({ store, exclusive, retentionMs, storeClock: this.#storeClock });
    this.#owners = new ShardOwners({
      ...{ nodes, shards: index.shards },
      onGained: (shard) => this.#dispatchers[shard]?.loop.wake(),
    });
    this.#beat = this.#loop('beat', this.#owners.tick);
    this.#dispatchers = Array.from({ length: index.shards }, (_, shard) => this.#makeDispatcher(shard));
    this.#workers = Array.from({ length: workers }, (_, number) => {
      const worker = new Worker({ index, clock, firer: this.#firer, limit: batchLimit });
      return this.#loop(`worker ${number}`, worker.tick);
    });
    const reclaimer = new Reclaimer({
      ...{ index, firer: this.#firer, limit: batchLimit, monotonicMs: clock.monotonicMs },
    });
    this.#care = [
      this.#loop('reclaim', reclaimer.tick),
      rebuild,
      this.#loop('sweep', this.#sweeper.tick),
      this.#loop('prune', pruner.tick),
    ];
  }

  /** Whether the index answers and lacks nothing; while not, the sweeper fires. */
  get isIndexWhole(): boolean {
    return this.#index.isAvailable && !this.#rebuilder.isNeeded;
  }

  /** Before `start`. Throws when the kind is registered already. */
  register(kind: TimerKind): void {
    this.#kinds.register(kind);
  }

  /** Starts the loops. Throws when the store is away; an index that is away is awaited in the background. */
  async start(): Promise<void> {
    await this.#storeClock.refresh();
    this.#kinds.setPaused(await this.#store.pausedKinds());
    this.#stopListening = this.#index.onEarlierHead((shard, fireAtMs) => {
      for (const { dispatcher, loop } of this.#dispatchers) if (dispatcher.isEarlier(shard, fireAtMs)) loop.wake();
    });
    for (const loop of this.#loops()) loop.start();
  }

  /** Hands nothing off any more, ends what is being fired, and lets go of the right to sweep. The caller closes the index. */
  async stop(): Promise<void> {
    this.#stopListening?.();
    await Promise.all(this.#dispatchers.map(({ loop }) => loop.stop()));
    await this.#leave();
    await Promise.all([...this.#workers, ...this.#care].map((loop) => loop.stop()));
    await this.#exclusive.release();
  }

  /** Refills the index from the rows, while everything serves. */
  rebuild(): void {
    this.#rebuilder.request();
  }

  /** For tests, instead of `start`: fires all that is due by the store's clock, also what comes due by that. Answers how many deliveries. */
  async runDue(): Promise<number> {
    await this.#storeClock.refresh();
    this.#kinds.setPaused(await this.#store.pausedKinds());
    const never = new AbortController().signal;
    for (let delivered = 0; ; ) {
      for (const { dispatcher } of this.#dispatchers) while ((await dispatcher.handOff()) === 0);
      await this.#rebuilder.tick();
      for (const { dispatcher } of this.#dispatchers) while ((await dispatcher.handOff()) === 0);
      const deliveries = await this.#index.receive(this.#batchLimit, 0, never);
      if (deliveries.length === 0) return delivered;
      await this.#firer.fire(deliveries.flatMap(({ timers }) => timers.map(({ timerId }) => timerId)));
      await this.#index.ack(deliveries);
      delivered += deliveries.length;
    }
  }

  /** For tests: one sweep without grace. */
  async sweep(): Promise<number> {
    await this.#storeClock.refresh();
    return this.#sweeper.sweep(this.#storeClock.nowMs());
  }

  /** Without it the others notice a little later by its silence. */
  async #leave(): Promise<void> {
    await this.#beat.stop();
    await this.#owners.leave().catch(() => undefined);
  }

  #makeDispatcher(shard: number): { dispatcher: Dispatcher; loop: Loop } {
    const dispatcher = new Dispatcher({
      index: this.#index,
      shard,
      isOwn: () => this.#owners.owns(shard),
      storeClock: this.#storeClock,
      limit: this.#batchLimit,
      onLost: () => this.#rebuilder.requestUnlessRunning(),
    });
    return { dispatcher, loop: this.#loop(`dispatch ${shard}`, dispatcher.tick) };
  }

  #loop(name: string, tick: (signal: AbortSignal) => Promise<number>): Loop {
    return new Loop({ name, tick, clock: this.#clock, log: this.#log });
  }

  #loops(): readonly Loop[] {
    return [this.#beat, ...this.#care, ...this.#workers, ...this.#dispatchers.map(({ loop }) => loop)];
  }
}
