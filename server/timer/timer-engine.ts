import type { Clock } from '../runtime/clock.ts';
import type { EngineLog } from '../runtime/engine-log.ts';
import type { Exclusive } from '../runtime/exclusive.ts';
import { Loop } from '../runtime/loop.ts';
import { StoreClock } from './clock/store-clock.ts';
import { Dispatchers } from './dispatch/dispatchers.ts';
import type { LiveNodes } from './dispatch/live-nodes.ts';
import { loneNode } from './dispatch/lone-node.ts';
import type { FiringTools } from './fire/attempt/firing-tools.ts';
import { Deliveries } from './fire/deliveries.ts';
import { drain } from './fire/drain.ts';
import { Intake } from './fire/lane/intake.ts';
import type { LaneState } from './fire/lane/lane.ts';
import { Share } from './fire/lane/share.ts';
import { Reclaimer } from './fire/reclaimer.ts';
import { Sweeper } from './fire/sweeper.ts';
import { idsOf, Worker } from './fire/worker.ts';
import { Dropper } from './index/dropper.ts';
import type { DueIndex } from './index/due-index.ts';
import type { Generations } from './index/generation.ts';
import { GenerationWatch } from './index/generation-watch.ts';
import { IndexUnavailable } from './index/index-unavailable.ts';
import { IndexWriter } from './index/index-writer.ts';
import { OwnGenerations } from './index/own-generations.ts';
import { OwnerCheck } from './index/owner-check.ts';
import { Pulse } from './index/pulse.ts';
import { Rebuilder } from './index/rebuilder.ts';
import { Reconciler } from './index/reconciler.ts';
import { type IndexCare, indexCare } from './index-care.ts';
import type { Observe } from './model/engine-event.ts';
import type { TimerKind } from './model/timer-kind.ts';
import { TimerKinds } from './model/timer-kinds.ts';
import type { TimerStore } from './model/timer-store.ts';
import { Pruner } from './pruner.ts';
import { type TimerService, timerService } from './timer-service.ts';

interface Dependencies {
  readonly store: TimerStore;
  readonly index: DueIndex;
  readonly clock: Clock;
  readonly log: EngineLog;
  /** The right to sweep, prune, rebuild and reconcile. */
  readonly exclusive: Exclusive;
  readonly retentionMs: number;
  /** Who hands which shards off. Default: this process all of them. */
  readonly nodes?: LiveNodes;
  /** Which life of the index counts. Default: the index dies with this process. */
  readonly generations?: Generations;
  /** Timers in a hand-off and in a batch of a worker. */
  readonly batchLimit?: number;
  readonly workers?: number;
  readonly observe?: Observe;
  /** Connections that all kinds with a `fire` share, each with one at a time. Default 2. */
  readonly fireConnections?: number;
  /** How long calls may go on when the engine stops. Default 20 s. */
  readonly drainMs?: number;
}

/** The timers of one process: the service to write them, and the loops that fire them. */
export class TimerEngine {
  readonly timers: TimerService;
  readonly indexWriter: IndexWriter;
  /** Somebody looks at these owners: their order in the index is compared with their rows in a moment. */
  readonly checkOwners: OwnerCheck['note'];
  /** What an operator may ask of the index, on any node. */
  readonly care: IndexCare;
  readonly #kinds = new TimerKinds();
  readonly #store: TimerStore;
  readonly #index: DueIndex;
  readonly #log: EngineLog;
  readonly #clock: Clock;
  readonly #storeClock: StoreClock;
  readonly #exclusive: Exclusive;
  readonly #intake: Intake;
  readonly #deliveries: Deliveries;
  readonly #drainMs: number;
  readonly #sweeper: Sweeper;
  readonly #rebuilder: Rebuilder;
  readonly #batchLimit: number;
  readonly #watch: GenerationWatch;
  readonly #dispatchers: Dispatchers;
  readonly #follow: Loop;
  readonly #tellAgain: Loop;
  readonly #ownerCheck: Loop;
  readonly #workers: readonly Loop[];
  readonly #caring: readonly Loop[];
  readonly #stopListening: () => void;

  constructor(dependencies: Dependencies) {
    const { store, index, clock, log, exclusive, retentionMs } = dependencies;
    const { batchLimit = 500, workers = 2, observe = () => undefined, drainMs = 20_000 } = dependencies;
    this.#store = store;
    this.#index = index;
    this.#clock = clock;
    this.#log = log;
    this.#exclusive = exclusive;
    const { nodes = loneNode, generations = new OwnGenerations() } = dependencies;
    this.#batchLimit = batchLimit;
    this.#drainMs = drainMs;
    this.#storeClock = new StoreClock(store, clock);
    this.#dispatchers = new Dispatchers({
      index,
      nodes,
      storeClock: this.#storeClock,
      limit: batchLimit,
      makeLoop: (name, tick) => this.#loop(name, tick),
    });
    this.#watch = new GenerationWatch({ generations, index, onChange: () => this.#dispatchers.renew() });
    this.#follow = this.#loop('follow the index', this.#watch.tick);
    this.#stopListening = index.inUse.onNewer(() => this.#follow.wake());
    this.#rebuilder = new Rebuilder({
      store,
      index,
      exclusive,
      clock,
      observe,
      generations,
      watch: this.#watch,
    });
    const rebuild = this.#loop('rebuild', this.#rebuilder.tick);
    this.indexWriter = new IndexWriter({
      index,
      look: async () => {
        rebuild.wake();
        // Who writes has a database; whoever looks next will do.
        await this.#watch.look().catch(() => undefined);
      },
      onKept: () => this.#tellAgain.wake(),
    });
    this.#tellAgain = this.#loop('tell the index again', this.indexWriter.tick);
    const ownerCheck = new OwnerCheck({
      store,
      index,
      clock,
      observe,
      isIndexWhole: async () => index.marks.isWhole((await this.#watch.look()).pulse),
      onWaiting: () => this.#ownerCheck.wake(),
    });
    this.checkOwners = ownerCheck.note;
    this.#ownerCheck = this.#loop('check owners', ownerCheck.tick);
    const tools: FiringTools = {
      store,
      clock,
      log,
      observe,
      kinds: this.#kinds,
      indexWriter: this.indexWriter,
      storeClock: this.#storeClock,
    };
    const share = new Share(dependencies.fireConnections ?? 2);
    this.#intake = new Intake({ tools, share, limit: batchLimit });
    this.#deliveries = new Deliveries({ index, after: clock.after });
    this.timers = timerService({ store, kinds: this.#kinds, indexWriter: this.#tellAll(), after: clock.after });
    const taking = { index, intake: this.#intake, deliveries: this.#deliveries, limit: batchLimit };
    this.#sweeper = new Sweeper({
      tools,
      index,
      exclusive,
      intake: this.#intake,
      rebuilder: this.#rebuilder,
      limit: batchLimit,
    });
    const pruner = new Pruner({ store, exclusive, retentionMs, storeClock: this.#storeClock });
    this.#workers = Array.from({ length: workers }, (_, number) => {
      return this.#loop(`worker ${number}`, new Worker(taking).tick);
    });
    const reclaimer = new Reclaimer({ ...taking, monotonicMs: clock.monotonicMs });
    const reconciler = new Reconciler({
      store,
      index,
      exclusive,
      observe,
      storeClock: this.#storeClock,
      isIndexWhole: () => this.isIndexWhole,
    });
    const whole = { index, exclusive, generations, isIndexWhole: () => this.isIndexWhole };
    this.#caring = [
      this.#loop('reconcile', reconciler.tick),
      this.#loop('reclaim', reclaimer.tick),
      rebuild,
      this.#loop('pulse', new Pulse(whole).tick),
      this.#loop('drop', new Dropper({ ...whole, monotonicMs: clock.monotonicMs }).tick),
      this.#loop('sweep', this.#sweeper.tick),
      this.#loop('prune', pruner.tick),
    ];
    this.care = indexCare({
      index,
      generations,
      nodes,
      reconciler,
      watch: this.#watch,
      wakeRebuilder: () => rebuild.wake(),
    });
  }

  /** Kinds that follow from a state, and that nobody writes directly. */
  get derivedKinds(): readonly string[] {
    return this.#kinds.derived;
  }

  /** Whether the index answers and lacks nothing; while not, the sweeper fires. */
  get isIndexWhole(): boolean {
    return this.#index.isAvailable && !this.#rebuilder.isNeeded;
  }

  /** Of all shards those that this node hands off, and how many nodes share them. */
  get standing(): { readonly shards: number; readonly held: number; readonly live: number } {
    const { held = 0, live = 0 } = this.#dispatchers?.owners ?? {};
    return { shards: this.#index.inUse.shards, held, live };
  }

  /** How the lane of each kind stands that had timers since the start. */
  get lanes(): readonly LaneState[] {
    return this.#intake.lanes;
  }

  /** Before `start`. Throws when the kind is registered already. */
  register(kind: TimerKind): void {
    this.#kinds.register(kind);
  }

  /** Starts the loops. Throws when the store is away; an index that is away is awaited in the background. */
  async start(): Promise<void> {
    await this.#storeClock.refresh();
    this.#kinds.setPaused(await this.#store.pausedKinds());
    await this.join();
    this.#dispatchers.start();
    for (const loop of [...this.#caring, ...this.#workers]) loop.start();
  }

  /**
   * Hands nothing off any more, gives back what waits, and finishes what is being fired: calls that take longer than
   * `drainMs` are aborted, and made again later. Lets go of the right to sweep. The caller closes the index.
   */
  async stop(): Promise<void> {
    this.#stopListening();
    await this.#follow.stop();
    await this.#tellAgain.stop();
    await this.#ownerCheck.stop();
    await this.#dispatchers.stop();
    this.#intake.stop();
    const abort = (): void => this.#intake.abort();
    await drain({ work: this.#finish(), abort, drainMs: this.#drainMs, after: this.#clock.after });
    this.#deliveries.stop();
    await this.#exclusive.release();
  }

  async #finish(): Promise<void> {
    await Promise.all([...this.#workers, ...this.#caring].map((loop) => loop.stop()));
    await this.#intake.idle();
    await this.#deliveries.flush();
  }

  /** For tests, instead of `start`: fires all that is due by the store's clock, also what comes due by that. Answers how many deliveries. */
  async runDue(): Promise<number> {
    await this.#storeClock.refresh();
    this.#kinds.setPaused(await this.#store.pausedKinds());
    await this.#watch.look();
    const dispatchers = this.#dispatchers;
    const never = new AbortController().signal;
    for (let delivered = 0; ; ) {
      await dispatchers.handOffAll();
      await this.#rebuilder.tick();
      await dispatchers.handOffAll();
      const deliveries = this.#deliveries.receive(await this.#index.queue.receive(this.#batchLimit, 0, never));
      if (deliveries.length === 0) return delivered;
      const { settled } = await this.#intake.take(idsOf(deliveries));
      this.#deliveries.ackAfter(deliveries, settled);
      await this.#intake.idle();
      await settled;
      await this.#deliveries.flush();
      delivered += deliveries.length;
    }
  }

  /** For tests: one sweep without grace. */
  async sweep(): Promise<number> {
    await this.#storeClock.refresh();
    const count = await this.#sweeper.sweep(this.#storeClock.nowMs());
    await this.#intake.idle();
    return count;
  }

  /** Says which kinds there are, and follows the generation of the index in force. A process that writes timers and fires none needs no more than this. */
  async join(): Promise<void> {
    await this.#store.registerKinds(this.#kinds.names);
    await this.#watch.look();
    this.#follow.start();
    this.#tellAgain.start();
    this.#ownerCheck.start();
  }

  /** Whoever writes timers here tells the calls of this process as well. */
  #tellAll(): Pick<IndexWriter, 'apply'> {
    return {
      apply: (changes) => {
        this.#intake.heard([...changes.put, ...changes.remove]);
        return this.indexWriter.apply(changes);
      },
    };
  }

  #loop(name: string, tick: (signal: AbortSignal) => Promise<number>): Loop {
    return new Loop({ name, tick, clock: this.#clock, log: this.#log, isQuiet: isIndexAway });
  }
}

/** All loops meet it at once; the adapter logs it, once. */
const isIndexAway = (error: unknown): boolean => error instanceof IndexUnavailable;
