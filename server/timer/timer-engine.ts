import type { Clock } from '../runtime/clock.ts';
import { type EngineOptions, type EngineParts, enginePartsOf } from './engine-parts.ts';
import { timersOf } from './fire/deliveries.ts';
import type { LaneState } from './fire/lane.ts';
import type { Delivery } from './index/due-index.ts';
import type { IndexPublisher, IndexWriter } from './index/index-writer.ts';
import type { IndexCare } from './index-operations.ts';
import type { Leader } from './leader.ts';
import { TimerRefused } from './model/timer-errors.ts';
import type { EngineKind } from './model/timer-kind.ts';
import { type TimerService, timerService } from './timer-service.ts';

const DRAIN_MS = 20_000;
/** The most rounds of one `runDue`, each a whole batch. */
const MOST_ROUNDS = 1000;

/** The timers of one process: the service that writes them, and the loops that fire them. */
export class TimerEngine {
  readonly timers: TimerService;
  readonly indexWriter: IndexWriter;
  /** Accepts other chores that one process does for all, before `start`. */
  readonly leader: Leader;
  /** The operator's calls on the index, on any node. */
  readonly indexOperations: IndexCare;
  /** How long `stop` lets calls go on. */
  readonly drainMs: number;
  readonly #parts: EngineParts;
  readonly #stopListening: () => void;
  /** Received by a `runDue` that threw: the queue gives them only once, so the next `runDue` fires them. */
  readonly #received: Delivery[] = [];

  constructor(options: EngineOptions) {
    this.#parts = enginePartsOf(options);
    this.drainMs = options.drainMs ?? DRAIN_MS;
    const { store, kinds, clock, index, indexWriter, follow, indexOperations, log } = this.#parts;
    this.indexWriter = indexWriter;
    this.leader = this.#parts.leader;
    this.indexOperations = indexOperations;
    this.timers = timerService({ store, kinds, indexWriter: this.#publisher(), after: clock.after, log });
    this.#stopListening = index.inUse.onNewer(() => follow.wake());
  }

  /** Whether the index responds and is complete; if not, the sweeper fires. */
  get isIndexWhole(): boolean {
    return this.#parts.isIndexWhole();
  }

  /** Whether this process uses another index than the other processes of its database. */
  get isIndexElsewhere(): boolean {
    return this.#parts.watch.isElsewhere;
  }

  /** The number of shards, how many of them this node hands off, and the number of nodes. */
  get shardCounts(): { readonly shards: number; readonly held: number; readonly live: number } {
    const { held = 0, live = 0 } = this.#parts.dispatchers.owners ?? {};
    return { shards: this.#parts.index.inUse.shards, held, live };
  }

  /** The lanes of all kinds that had timers since the start. */
  get lanes(): readonly LaneState[] {
    return this.#parts.intake.lanes;
  }

  /** Call it before `start`. Throws when the kind is registered already. */
  register(kind: EngineKind): void {
    this.#parts.kinds.register(kind);
  }

  /** Starts the loops. Throws when the store is away; an index that is away is awaited in the background. */
  async start(): Promise<void> {
    const { dispatchers, rebuild, leader, net, workers } = this.#parts;
    await this.#readStore();
    await this.join();
    dispatchers.start();
    for (const loop of [rebuild, ...net, ...workers]) loop.start();
    leader.start();
  }

  /**
   * Stops handing off, requeues waiting timers, and finishes those that fire. Calls that take longer than `drainMs` are
   * aborted, and made again later. Returns at most a second after that, and logs the kinds that still hang. Releases
   * the leader's lock. The caller closes the index.
   */
  async stop(): Promise<void> {
    const { intake, deliveries, leader, clock, log } = this.#parts;
    this.#stopListening();
    const abort = (): void => {
      intake.stop();
      intake.abort();
    };
    const isDone = await drain({ work: this.#finish(), abort, drainMs: this.drainMs, after: clock.after });
    const kinds = this.lanes.filter(({ running }) => running > 0).map(({ kind }) => kind);
    if (!isDone) log.error({ code: 'shutdown/unfinished', left: kinds, boundMs: this.drainMs }, UNFINISHED);
    deliveries.stop();
    await leader.release();
  }

  async #finish(): Promise<void> {
    const { follow, checkOwners, dispatchers, workers, rebuild, leader, net, intake, deliveries } = this.#parts;
    await Promise.all([follow, checkOwners].map((loop) => loop.stop()));
    await dispatchers.stop();
    intake.stop();
    await Promise.all([...workers, rebuild, leader, ...net].map((each) => each.stop()));
    await intake.idle();
    await Promise.all([deliveries.flush(), this.indexWriter.idle()]);
  }

  /**
   * For tests, instead of `start`: fires all timers that are due by the store's clock, and those that become due
   * through it. Returns the number of deliveries. Throws `TimerRefused` (`due/endless`) if that never ends.
   */
  async runDue(): Promise<number> {
    const { dispatchers, rebuilder, watch, index, indexWriter, intake, deliveries, batchLimit } = this.#parts;
    await this.#readStore();
    await watch.look();
    const never = new AbortController().signal;
    let delivered = 0;
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      await indexWriter.idle();
      await dispatchers.handOffAll();
      await rebuilder.tick();
      await dispatchers.handOffAll();
      const left = this.#received.splice(0);
      const received = left.length > 0 ? left : deliveries.receive(await index.queue.receive(batchLimit, 0, never));
      if (received.length === 0) return delivered;
      const { settled } = await intake.accept(timersOf(received)).catch((error: unknown) => {
        this.#received.push(...received);
        throw error;
      });
      deliveries.ackAfter(received, settled);
      await intake.idle();
      await settled;
      await deliveries.flush();
      delivered += received.length;
    }
    const what = `after ${MOST_ROUNDS} rounds more is due, as where a handler schedules its timer for now each time`;
    throw new TimerRefused('due/endless', `${what}: move the time on between, or call runDue again to go on`);
  }

  /** For tests: one sweep without grace. */
  async sweep(): Promise<number> {
    const { storeClock, sweeper, intake } = this.#parts;
    await storeClock.refresh();
    const count = await sweeper.sweep(storeClock.nowMs());
    await intake.idle();
    return count;
  }

  /** Registers the kinds and follows the generation in force. A process that writes timers and fires none needs only this. */
  async join(): Promise<void> {
    const { store, kinds, watch, follow, checkOwners } = this.#parts;
    await store.registerKinds(kinds.declared);
    kinds.setRegistered(await store.registeredKinds());
    await watch.look();
    follow.start();
    checkOwners.start();
  }

  async #readStore(): Promise<void> {
    const { store, storeClock, kinds } = this.#parts;
    await storeClock.refresh();
    kinds.setPaused(await store.pausedKinds());
  }

  /** A write aborts calls for older rows of its timers right after the commit, before it is published. */
  #publisher(): IndexPublisher {
    const { intake, indexWriter } = this.#parts;
    return {
      publish: (changes) => {
        intake.abortStale([...changes.put, ...changes.remove]);
        indexWriter.publish(changes);
      },
      room: () => indexWriter.room(),
      idle: () => indexWriter.idle(),
    };
  }
}

const UNFINISHED =
  'handlers of these kinds (of none: Postgres) did not come to an end: what is not committed fires again';

/** The extra time in which aborted calls may end. */
const LAST_MS = 1000;

interface Drain {
  /** Resolves when all running work has ended. */
  readonly work: Promise<void>;
  /** Aborts work that would go on for long. */
  readonly abort: () => void;
  readonly drainMs: number;
  readonly after: Clock['after'];
}

/**
 * Waits for `work`, aborts the rest after `drainMs`, and gives up a second later: a transaction ends by itself within
 * seconds, but a handler may never return. Returns whether all work has ended.
 */
const drain = async ({ work, abort, drainMs, after }: Drain): Promise<boolean> => {
  const over = Promise.withResolvers<false>();
  const cancels = [after(drainMs, abort), after(drainMs + LAST_MS, () => over.resolve(false))];
  try {
    return await Promise.race([work.then(() => true), over.promise]);
  } finally {
    for (const cancel of cancels) cancel();
  }
};
