import { type Home, newHome } from '../../shared/home.ts';
import { isPlayerId } from '../../shared/ids.ts';
import { type Command, type QuoteReply, type Rejection, reject, type SyncReply } from '../../shared/protocol.ts';
import { ok, type Result, refused } from '../../shared/result.ts';
import type { Modules } from '../domain/modules.ts';
import type { Clock } from '../runtime/clock.ts';
import { isHandlerTx } from '../timer/model/handler-tx.ts';
import type { Unsettled } from '../timer/model/timer-kind.ts';
import type { IndexChanges, Tx } from '../timer/model/timer-store.ts';
import type { EventChannel } from './follow/event-channel.ts';
import { HomeFeed } from './follow/home-feed.ts';
import { pageOf } from './follow/log-page.ts';
import { SeqWatch } from './follow/seq-watch.ts';
import type { HomeMeasure } from './model/home-measurement.ts';
import type { HealedRows, HomeStore } from './model/home-store.ts';
import type { Commit, Follower, HomeOrder, Homes, HomeView, LogCursor, Outcome } from './model/homes.ts';
import { lastingHostFault } from './model/host-fault.ts';
import { StoreFault } from './model/store-fault.ts';
import { type BatchResult, type PlayerOrders, runRounds, type Save } from './write/batch.ts';
import { type MergedInTx, type MergeOrder, mergeIn } from './write/merge-in.ts';
import { quoteHome } from './write/quote-home.ts';
import { WritePath, type WritePathLimits } from './write/write-path.ts';

export interface HomeServiceOptions {
  readonly modules: Modules;
  readonly store: HomeStore;
  /** Tells the due index what a commit changed. Must not throw; what gets lost there is found by the sweeper. */
  readonly tellIndex: (changes: IndexChanges) => void;
  /** Where other processes hear of commits, and this one of theirs. Default: there are no others. */
  readonly channel?: EventChannel;
  /** For pauses before a locked home is tried again. */
  readonly clock: Pick<Clock, 'after'>;
  readonly limits: WritePathLimits & { readonly pageMax: number };
  readonly onFault: (message: string, error: unknown) => void;
  /** Default: nobody measures. */
  readonly measure?: HomeMeasure;
  /** Hears of timer rows that were not as their homes say, and are now. */
  readonly onHealed?: (healed: HealedRows) => void;
  /** See `WritePathOptions`. */
  readonly onLooked?: (playerIds: readonly string[]) => void;
  /** Hears how many commands came. */
  readonly onCommands?: (count: number) => void;
}

/** Outcomes of orders in a transaction that somebody else commits. */
export interface HandledInTx {
  readonly outcomes: readonly Outcome[];
  /** By player, the home as it was found and as it is after it all. */
  readonly homes: ReadonlyMap<string, { readonly before: Home; readonly after: Home }>;
  /** Call it after the commit: tells the followers and the due index. In a handler's transaction the engine does. */
  readonly afterCommit: () => void;
}

/** The use cases of the homes. See `Homes` for what each promises. */
export class HomeService implements Homes {
  readonly #options: HomeServiceOptions;
  readonly #feed: HomeFeed;
  readonly #path: WritePath;
  /** For a loop: finds what followers were not told of. */
  readonly watch: SeqWatch;

  constructor(options: HomeServiceOptions) {
    this.#options = options;
    const { channel, measure } = options;
    this.#feed = new HomeFeed((error) => options.onFault('a follower failed', error), channel, measure);
    const { store } = options;
    this.watch = new SeqWatch({
      feed: this.#feed,
      store,
      look: (playerIds) => this.settle(playerIds),
      erased: (playerId) => this.#feed.publish(erasedCommit(playerId)),
    });
    this.#path = new WritePath({ ...options, feed: this.#feed });
  }

  handle(orders: readonly HomeOrder[]): Promise<readonly Outcome[]> {
    this.#options.onCommands?.(orders.length);
    const measured = this.#measureAnswers();
    const begin = (order: HomeOrder): Promise<Outcome> => {
      const outcome = isPlayerId(order.playerId) ? this.#path.order(order) : noPlayer(order);
      outcome.then(
        (known) => measured(order, known),
        () => measured(order, undefined),
      );
      return outcome;
    };
    return Promise.all(orders.map(begin));
  }

  /**
   * The same inside the caller's transaction. Orders of one player stay in order. Waits for locked homes; in a handler
   * it throws `Locked`, and the engine sees to `afterCommit`.
   */
  async handleIn(tx: Tx, orders: readonly HomeOrder[]): Promise<HandledInTx> {
    const measured = this.#measureAnswers();
    const players = Map.groupBy(orders, (order) => order.playerId);
    const rounds = await this.#roundsIn(
      tx,
      [...players].map(([playerId, own]) => ({ playerId, orders: own })),
    );
    const judged = new Map(rounds.flatMap((round) => [...round.judged]));
    const found = new Map(rounds.toReversed().flatMap((round) => [...round.judged]));
    const byOrder = new Map<HomeOrder, Outcome>();
    for (const [playerId, own] of players) {
      own.forEach((order, at) => {
        const outcome = judged.get(playerId)?.outcomes[at];
        if (outcome) byOrder.set(order, outcome);
      });
    }
    const outcomes = orders.map((order) => byOrder.get(order) ?? refused(reject('server/unavailable')));
    orders.forEach((order, at) => {
      measured(order, outcomes[at]);
    });
    return {
      outcomes,
      homes: new Map(
        [...judged].map(([playerId, { change }]) => [
          playerId,
          { before: found.get(playerId)?.change.before ?? change.before, after: change.after },
        ]),
      ),
      afterCommit: afterCommitOf(tx, () => this.#tell(rounds)),
    };
  }

  #roundsIn(tx: Tx, players: readonly PlayerOrders[]): Promise<readonly BatchResult[]> {
    const { modules, store, limits } = this.#options;
    const save: Save = (request, decide) => store.changeIn(tx, request, decide);
    return runRounds({ modules, players, waits: true, limits, save });
  }

  #tell(rounds: readonly BatchResult[]): void {
    for (const { judged, index } of rounds) {
      for (const { commit } of judged.values()) this.#feed.publish(commit);
      this.#options.tellIndex(index);
    }
  }

  /** Merges a home into another one inside the caller's transaction. */
  async mergeIn(tx: Tx, merge: MergeOrder): Promise<MergedInTx> {
    const { modules, store, tellIndex } = this.#options;
    const homes = [merge.guestId, merge.accountId].map((playerId) => ({ playerId, orders: [] }));
    const rounds = await this.#roundsIn(tx, homes);
    const { merged, index } = await mergeIn({ modules, store, tx, ...merge });
    return {
      ...merged,
      afterCommit: afterCommitOf(tx, () => {
        this.#tell(rounds);
        for (const { commit } of [merged.guest, merged.account]) this.#feed.publish(commit);
        tellIndex(index);
      }),
    };
  }

  /** After the commit that erased the player: whoever looks at the home must start anew. */
  erased(playerId: string, index: IndexChanges): void {
    this.#feed.publish(erasedCommit(playerId));
    this.#options.tellIndex(index);
  }

  async quote(playerId: string, command: Command): Promise<Result<QuoteReply, Rejection>> {
    const { modules, store, limits } = this.#options;
    const look = () => this.#path.look(playerId);
    try {
      return await quoteHome({ modules, store, look, maxEvents: limits.eventsPerHome }, playerId, command);
    } catch (error) {
      const fault = lastingHostFault(error);
      if (!fault) throw error;
      this.#options.onFault('a command could not be quoted', fault);
      return refused(reject('inventory/refused'));
    }
  }

  async look(playerIds: readonly string[]): Promise<readonly HomeView[]> {
    return Promise.all(playerIds.map((playerId) => this.#path.look(playerId)));
  }

  /** Heals timer rows that are not as these homes say. A home that cannot be had now is left out. */
  async compare(playerIds: readonly string[]): Promise<void> {
    await Promise.allSettled(playerIds.map((playerId) => this.#path.compare(playerId)));
  }

  /** What a fired timer does: looks at its owner. Returns those that could not be settled. */
  async settle(playerIds: readonly string[]): Promise<readonly Unsettled[]> {
    const settled = playerIds.map((owner) =>
      this.#path.settle(owner).then(
        () => [],
        (error: unknown) => [{ owner, error, isLocked: isBusy(error) }],
      ),
    );
    return (await Promise.all(settled)).flat();
  }

  async sync(playerId: string, cursor: LogCursor): Promise<Result<SyncReply, Rejection>> {
    const { store, limits } = this.#options;
    const limit = Math.min(cursor.limit ?? limits.pageMax, limits.pageMax);
    // The log before its end: so `seq` is never behind the events.
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

  now(): Promise<number> {
    return this.#options.store.nowMs();
  }

  /** How many homes are followed in this process, and by how many followers. */
  get followed(): HomeFeed['size'] {
    return this.#feed.size;
  }

  /** Refuses what comes from now on, and ends when everything accepted is answered. */
  drain(): Promise<void> {
    return this.#path.drain();
  }

  /** Orders begin now; call what it returns with each outcome, undefined for one that nobody knows. */
  #measureAnswers(): (order: HomeOrder, outcome: Outcome | undefined) => void {
    const { measure } = this.#options;
    if (!measure) return () => undefined;
    const startedAtMs = measure.clock.monotonicMs();
    return (order, outcome) => {
      const code = outcome ? (outcome.ok ? 'ok' : outcome.error.code) : 'unknown';
      const tookMs = measure.clock.monotonicMs() - startedAtMs;
      measure.observe({ type: 'answered', command: order.command.type, code, tookMs });
    };
  }
}

/** Nothing failed: somebody else is at work on the home, or this process is. */
const isBusy = (error: unknown): boolean =>
  error instanceof StoreFault && (error.kind === 'locked' || error.kind === 'unsettled');
/** What the caller has to call: in a handler nothing, since its commit is the engine's. */
const afterCommitOf = (tx: Tx, tell: () => void): (() => void) => {
  if (!isHandlerTx(tx)) return tell;
  tx.afterCommit(tell);
  return () => undefined;
};

const erasedCommit = (playerId: string): Commit => ({
  playerId,
  home: newHome(playerId),
  events: [],
  nowMs: 0,
  answers: [],
  isErased: true,
});

const noPlayer = async ({ playerId }: HomeOrder): Promise<Outcome> =>
  refused(
    reject('command/invalid', {
      faults: [{ path: 'playerId', message: `${playerId.length} characters that are no player id` }],
    }),
  );
