import type { Catalogue } from '../../shared/catalogue.ts';
import { type Home, newHome } from '../../shared/home.ts';
import { isPlayerId } from '../../shared/ids.ts';
import { type Command, type QuoteReply, type Rejection, reject, type SyncReply } from '../../shared/protocol.ts';
import { ok, type Result, refused } from '../../shared/result.ts';
import { judge } from '../domain/judge.ts';
import { replyOf } from '../domain/reply-of.ts';
import type { Clock } from '../timer/clock.ts';
import type { Unsettled } from '../timer/timer-kind.ts';
import type { IndexChanges, Tx } from '../timer/timer-store.ts';
import { runBatch, unsavedHome } from './batch.ts';
import type { EventChannel } from './event-channel.ts';
import { HomeFeed } from './home-feed.ts';
import type { HomeMeasure } from './home-measurement.ts';
import type { HealedRows, HomeStore } from './home-store.ts';
import type { Commit, Follower, HomeOrder, Homes, HomeView, LogCursor, Outcome } from './homes.ts';
import { pageOf } from './log-page.ts';
import { type MergedHome, type MergeOrder, mergeIn } from './merge-in.ts';
import { SeqWatch } from './seq-watch.ts';
import { StoreFault } from './store-fault.ts';
import { WritePath, type WritePathLimits } from './write-path.ts';

export interface HomeServiceOptions {
  readonly catalogue: Catalogue;
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
  /** Hears how many commands came. */
  readonly onCommands?: (count: number) => void;
}

/** Outcomes of orders in a transaction that somebody else commits. */
export interface HandledInTx {
  readonly outcomes: readonly Outcome[];
  /** By player, the home as it was found and as it is after it all. */
  readonly homes: ReadonlyMap<string, { readonly before: Home; readonly after: Home }>;
  /** Call it after the commit: tells the followers and the due index. */
  readonly afterCommit: () => void;
}

/** Both homes of a merge; `afterCommit` as in `HandledInTx`. */
export interface MergedInTx {
  readonly guest: MergedHome;
  readonly account: MergedHome;
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
      ...{ feed: this.#feed, store },
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

  /** The same inside the caller's transaction. Orders of one player stay in order; waits for locked homes. */
  async handleIn(tx: Tx, orders: readonly HomeOrder[]): Promise<HandledInTx> {
    const measured = this.#measureAnswers();
    const players = Map.groupBy(orders, (order) => order.playerId);
    const { catalogue, store } = this.#options;
    const { judged, index } = await runBatch({
      catalogue,
      players: [...players].map(([playerId, own]) => ({ playerId, orders: own })),
      waits: true,
      save: (request, decide) => store.changeIn(tx, request, decide),
    });
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
      homes: new Map([...judged].map(([playerId, { change }]) => [playerId, change])),
      afterCommit: () => {
        for (const { commit } of judged.values()) this.#feed.publish(commit);
        this.#options.tellIndex(index);
      },
    };
  }

  /** Merges a home into another one inside the caller's transaction. */
  async mergeIn(tx: Tx, merge: MergeOrder): Promise<MergedInTx> {
    const { catalogue, store, tellIndex } = this.#options;
    const { merged, index } = await mergeIn({ catalogue, store, tx, ...merge });
    return {
      ...merged,
      afterCommit: () => {
        for (const { commit } of [merged.guest, merged.account]) this.#feed.publish(commit);
        tellIndex(index);
      },
    };
  }

  /** After the commit that erased the player: whoever looks at the home must start anew. */
  erased(playerId: string, index: IndexChanges): void {
    this.#feed.publish(erasedCommit(playerId));
    this.#options.tellIndex(index);
  }

  async quote(playerId: string, command: Command): Promise<Result<QuoteReply, Rejection>> {
    const { catalogue, store } = this.#options;
    let quoted: Result<QuoteReply, Rejection> = refused(reject('server/unavailable'));
    // Under the lock like any command, so that it sees one state; then nothing is saved.
    await store.change({ playerIds: [playerId], commands: [], waits: true }, ({ homes, nowMs }) => {
      const home = homes.get(playerId);
      if (home) quoted = quoteOn({ catalogue, home: this.#shown(home), command, nowMs });
      return [];
    });
    return quoted;
  }

  async look(playerIds: readonly string[]): Promise<readonly HomeView[]> {
    return Promise.all(playerIds.map((playerId) => this.#path.look(playerId)));
  }

  /** Heals timer rows that are not as these homes say. A home that cannot be had now is left out. */
  async compare(playerIds: readonly string[]): Promise<void> {
    await Promise.allSettled(playerIds.map((playerId) => this.#path.compare(playerId)));
  }

  /** What a fired timer does: looks at its owner. Answers those that could not be settled. */
  async settle(playerIds: readonly string[]): Promise<readonly Unsettled[]> {
    const settled = playerIds.map((owner) =>
      this.#path.settle(owner).then(
        () => [],
        (error: unknown) => [{ owner, error, isLocked: error instanceof StoreFault && error.kind === 'locked' }],
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

  /** Orders begin now; call the answer with each outcome, undefined for one that nobody knows. */
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

  #shown(home: Home): Home {
    return home.seq > 0 ? home : unsavedHome(this.#options.catalogue, home.playerId);
  }
}

const erasedCommit = (playerId: string): Commit => ({
  ...{ playerId, home: newHome(playerId), events: [], nowMs: 0, answers: [] },
  isErased: true,
});

const quoteOn = (input: {
  readonly catalogue: Catalogue;
  readonly home: Home;
  readonly command: Command;
  readonly nowMs: number;
}): Result<QuoteReply, Rejection> => {
  const { decision } = judge({ ...input, commandId: '' });
  if (!decision.ok) return decision;
  const { events, ...reply } = replyOf(decision.value);
  return ok({ ...reply, seq: input.home.seq, events: events.map(({ seq: _, commandId: __, ...event }) => event) });
};

const noPlayer = async ({ playerId }: HomeOrder): Promise<Outcome> =>
  refused(
    reject('command/invalid', {
      faults: [{ path: 'playerId', message: `${playerId.length} characters that are no player id` }],
    }),
  );
