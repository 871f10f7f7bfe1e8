import { newHome } from '../../shared/home.ts';
import { isPlayerId } from '../../shared/ids.ts';
import { type Command, type QuoteReply, type Rejection, reject, type SyncReply } from '../../shared/protocol.ts';
import { ok, type Result, refused } from '../../shared/result.ts';
import type { Modules } from '../domain/modules.ts';
import type { Clock } from '../runtime/clock.ts';
import type { IndexChanges } from '../timer/model/index-entry.ts';
import type { SettledOwners } from '../timer/model/timer-kind.ts';
import type { Tx } from '../timer/model/timer-store.ts';
import type { EventChannel } from './follow/home-feed.ts';
import { HomeFeed, pageOf } from './follow/home-feed.ts';
import { SeqWatch } from './follow/seq-watch.ts';
import { type Commit, commitOf, type Follower, type HomeView } from './model/commit.ts';
import { faultIn, rejectionOf, StoreFault } from './model/faults.ts';
import type { HomeMeasure } from './model/home-measurement.ts';
import type { HomeStore } from './model/home-store.ts';
import type { HomeOrder, Homes, LogCursor, Outcome } from './model/homes.ts';
import { fixedRules, type OnRules, type RulesInForce } from './model/rules-in-force.ts';
import {
  type HandledInTx,
  handleInTx,
  type InTx,
  type MergedInTx,
  type MergeOrder,
  mergeInTx,
} from './write/in-transaction.ts';
import { quoteHome } from './write/quote-home.ts';
import { unavailable } from './write/retries.ts';
import { WritePath } from './write/write-path.ts';
import type { WritePathLimits } from './write/write-path-options.ts';

export type { HandledInTx } from './write/in-transaction.ts';

export interface HomeServiceOptions {
  readonly modules: Modules;
  /** Default: the rules that the start gave. */
  readonly rules?: RulesInForce;
  readonly store: HomeStore;
  /** Publishes a commit's changes to the due index. Must not throw; the sweeper finds lost updates. */
  readonly updateIndex: (changes: IndexChanges) => void;
  /** The channel for commits to and from other processes. Default: there are none. */
  readonly channel?: EventChannel;
  /** For the pauses before a locked home is retried. */
  readonly clock: Pick<Clock, 'after' | 'monotonicMs'>;
  readonly limits: WritePathLimits & { readonly pageMax: number };
  readonly onFault: (message: string, error: unknown) => void;
  /** Default: nothing is measured. */
  readonly measure?: HomeMeasure;
  /** False: another process works on the database, so this one accepts nothing. */
  readonly mayRun?: () => boolean;
  /** Called with the number of commands that arrived. */
  readonly onCommands?: (count: number) => void;
}

/** The use cases of the homes; `Homes` says what each promises. */
export class HomeService implements Homes {
  readonly #on: HomeServiceOptions;
  readonly #feed: HomeFeed;
  readonly #path: WritePath;
  readonly #inTx: InTx;
  readonly #rules: RulesInForce;
  /** For a loop: finds commits that followers missed. */
  readonly watch: SeqWatch;

  constructor(options: HomeServiceOptions) {
    this.#on = options;
    const { channel, measure, store, modules, limits, updateIndex } = options;
    const rules = options.rules ?? fixedRules(modules);
    this.#rules = rules;
    this.#feed = new HomeFeed({
      onFault: (error) => options.onFault('a follower failed', error),
      channel,
      onGap: (playerId) => void this.#catchUp(playerId),
      measure,
    });
    this.#inTx = { rules, store, limits, measure, updateIndex, feed: this.#feed };
    this.watch = new SeqWatch({
      feed: this.#feed,
      store,
      look: (playerIds) => this.settle(playerIds),
      erased: (playerId) => this.#feed.publish(erasedCommit(playerId)),
    });
    this.#path = new WritePath({ ...options, rules, feed: this.#feed });
  }

  handle(orders: readonly HomeOrder[]): Promise<readonly Outcome[]> {
    this.#on.onCommands?.(orders.length);
    const measured = this.#measureAnswers();
    const begin = (order: HomeOrder): Promise<Outcome> => {
      const outcome = isPlayerId(order.playerId) ? this.#order(order) : noPlayer(order);
      outcome.then(
        (known) => measured(order, known),
        () => measured(order, undefined),
      );
      return outcome;
    };
    return Promise.all(orders.map(begin));
  }

  /**
   * The same inside the caller's transaction. Orders of one player keep their order. Waits for locked homes. In a
   * handler it throws `Locked` instead, and the engine calls `afterCommit`. Throws a `ModuleFault` of rules that run
   * longer than `mostRulesMs`; missing: no bound.
   */
  async handleIn(tx: Tx, orders: readonly HomeOrder[], mostRulesMs?: number): Promise<HandledInTx> {
    if (!this.#mayRun) return { outcomes: orders.map(unavailable), homes: new Map(), afterCommit: () => undefined };
    const measured = this.#measureAnswers();
    const handled = await handleInTx(this.#inTx, tx, orders, mostRulesMs);
    orders.forEach((order, at) => {
      measured(order, handled.outcomes[at]);
    });
    return handled;
  }

  /** Merges a home into another one inside the caller's transaction. */
  mergeIn(tx: Tx, merge: MergeOrder): Promise<MergedInTx> {
    return mergeInTx(this.#inTx, tx, merge);
  }

  /** Call it after the commit that erased the player: clients with the home open must start anew. */
  erased(playerId: string, index: IndexChanges): void {
    this.#feed.publish(erasedCommit(playerId));
    this.#on.updateIndex(index);
  }

  async quote(playerId: string, command: Command): Promise<Result<QuoteReply, Rejection>> {
    const { store, limits, measure } = this.#on;
    const rules = this.#rules;
    const look = () => this.#path.look(playerId);
    try {
      return await quoteHome({ rules, store, look, measure, maxEvents: limits.eventsPerHome }, playerId, command);
    } catch (error) {
      const rejection = rejectionOf(error);
      if (rejection.retryable) throw error;
      this.#on.onFault('a command could not be quoted', faultIn(error));
      return refused(rejection);
    }
  }

  async look(playerIds: readonly string[]): Promise<readonly HomeView[]> {
    if (!this.#mayRun) throw new StoreFault('down', 'another process works on this database');
    return Promise.all(playerIds.map((playerId) => this.#path.look(playerId)));
  }

  /** Settles the homes after the game itself changed their items, and publishes these to all processes. */
  async stockChanged(playerIds: readonly string[]): Promise<void> {
    for (const view of await this.look(playerIds)) this.#feed.publishStock(view);
  }

  /** The work of a fired timer: settles its owner. */
  async settle(playerIds: readonly string[]): Promise<SettledOwners> {
    // One entry for each batch, which settles many homes.
    const batches = new Set<ReadonlySet<string>>();
    const settled = playerIds.map((owner) =>
      this.#path.settle(owner).then(
        (moved) => {
          batches.add(moved);
          return [];
        },
        (error: unknown) => [{ owner, error, isLocked: isBusy(error) }],
      ),
    );
    const unsettled = (await Promise.all(settled)).flat();
    return { unsettled, moved: new Set([...batches].flatMap((moved) => [...moved])) };
  }

  async sync(playerId: string, cursor: LogCursor): Promise<Result<SyncReply, Rejection>> {
    const { store, limits } = this.#on;
    const limit = Math.min(cursor.limit ?? limits.pageMax, limits.pageMax);
    // Reads the events before the end of the log, so that `seq` is never behind them.
    const events = await store.events(playerId, cursor.afterSeq, limit + 1);
    const [epoch, nowMs, newest] = await Promise.all([
      store.epoch(playerId),
      store.nowMs(),
      store.newestSeqs([playerId]),
    ]);
    const seq = newest.get(playerId) ?? 0;
    if ((cursor.epoch !== undefined && cursor.epoch !== epoch) || cursor.afterSeq > seq) {
      return refused(reject('sync/ahead', { epoch, seq }));
    }
    const page = pageOf(events, limit, cursor.maxBytes);
    return ok({ seq, nowMs, ...page });
  }

  follow(playerId: string, follower: Follower): () => void {
    return this.#feed.follow(playerId, follower);
  }

  onRules(listener: OnRules): () => void {
    return this.#rules.onRules(listener);
  }

  now(): Promise<number> {
    return this.#on.store.nowMs();
  }

  /** How many homes are followed in this process, and by how many followers. */
  get followed(): HomeFeed['size'] {
    return this.#feed.size;
  }

  /** Refuses new work, and resolves when all accepted work has its outcome. */
  drain(): Promise<void> {
    return this.#path.drain();
  }

  /** Waits for a locked home: a changed stock has no newer `seq` by which `SeqWatch` would find it later. */
  async #catchUp(playerId: string): Promise<void> {
    const { unsettled } = await this.settle([playerId]);
    if (unsettled.some(({ isLocked }) => isLocked)) await this.look([playerId]).catch(() => undefined);
  }

  get #mayRun(): boolean {
    return this.#on.mayRun?.() ?? true;
  }

  #order(order: HomeOrder): Promise<Outcome> {
    return this.#mayRun ? this.#path.order(order) : Promise.resolve(unavailable());
  }

  /** Starts measuring orders. Call the returned function with each outcome; undefined: the outcome is unknown. */
  #measureAnswers(): (order: HomeOrder, outcome: Outcome | undefined) => void {
    const { measure } = this.#on;
    if (!measure) return () => undefined;
    const startedAtMs = measure.clock.monotonicMs();
    return (order, outcome) => {
      const code = outcome ? (outcome.ok ? 'ok' : outcome.error.code) : 'unknown';
      const tookMs = measure.clock.monotonicMs() - startedAtMs;
      measure.observe({ type: 'answered', command: order.command.type, code, tookMs });
    };
  }
}

/** The home is busy: locked by another process, or still being settled here. */
const isBusy = (error: unknown): boolean =>
  error instanceof StoreFault && (error.kind === 'locked' || error.kind === 'unsettled');

const erasedCommit = (playerId: string): Commit => {
  const home = newHome(playerId);
  return { ...commitOf(home, home, { events: [], nowMs: 0, answers: [] }), isErased: true };
};

const noPlayer = async ({ playerId }: HomeOrder): Promise<Outcome> =>
  refused(
    reject('command/invalid', {
      faults: [{ path: 'playerId', message: `${playerId.length} characters that are no player id` }],
    }),
  );
