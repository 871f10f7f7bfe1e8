import { judge, replyOf } from '../../../server/domain/decide.ts';
import { fold } from '../../../server/domain/evolve.ts';
import { openHome, shownHome } from '../../../server/domain/open-home.ts';
import { settle } from '../../../server/domain/settle.ts';
import { pageOf } from '../../../server/home/follow/home-feed.ts';
import { type Commit, commitOf, type Follower, type HomeView } from '../../../server/home/model/commit.ts';
import { commandHash, type HomeStore } from '../../../server/home/model/home-store.ts';
import type { HomeOrder, Homes, LogCursor, Outcome } from '../../../server/home/model/homes.ts';
import type { HomeEvent } from '../../../shared/event.ts';
import { type Home, newHome } from '../../../shared/home.ts';
import { type Catalogue, defaultCatalogue } from '../../../shared/pets/catalogue.ts';
import {
  type Command,
  type QuotedEvent,
  type QuoteReply,
  type Rejection,
  reject,
  type SyncReply,
} from '../../../shared/protocol.ts';
import { ok, type Result, refused } from '../../../shared/result.ts';
import { petsModules } from '../../../testing/pets-engine.ts';

interface Kept {
  home: Home;
  isTold: boolean;
  readonly log: HomeEvent[];
  readonly answered: Map<string, { readonly body: string; readonly events: readonly HomeEvent[] }>;
}

type Act = keyof Homes;

/** Homes in memory, with a clock by hand and faults to order. One batch is what waits when it begins. */
export class FakeHomes implements Homes {
  readonly catalogue: Catalogue = { ...defaultCatalogue };
  readonly modules = petsModules();
  epoch = 'epoch-1';
  nowMs = 1_700_000_000_000;
  /** Up to this `seq` all events are deleted, as by the retention. */
  deletedSeq = 0;
  /** Waits in front of each act until it is fulfilled; a rejection is the act's fault. */
  before: (act: Act) => Promise<void> | void = () => undefined;
  readonly #homes = new Map<string, Kept>();
  readonly #followers = new Map<string, Set<Follower>>();
  #queue: { readonly order: HomeOrder; readonly answer: (outcome: Outcome) => void }[] = [];

  async handle(orders: readonly HomeOrder[]): Promise<readonly Outcome[]> {
    await this.before('handle');
    return Promise.all(
      orders.map(
        (order) =>
          new Promise<Outcome>((answer) => {
            if (this.#queue.push({ order, answer }) === 1) queueMicrotask(() => this.#run());
          }),
      ),
    );
  }

  async quote(playerId: string, command: Command): Promise<Result<QuoteReply, Rejection>> {
    await this.before('quote');
    const home = this.#homes.get(playerId)?.home ?? shownHome(this.modules, newHome(playerId), this);
    const { decision } = judge({ modules: this.modules, home, command, commandId: '', nowMs: this.nowMs });
    if (!decision.ok) return refused(decision.error);
    const { events, ...reply } = replyOf(this.modules, decision.value);
    return ok({
      ...reply,
      seq: home.seq,
      events: events.map(({ seq: _, commandId: __, ...event }) => event as QuotedEvent),
    });
  }

  async look(playerIds: readonly string[]): Promise<readonly HomeView[]> {
    await this.before('look');
    return playerIds.map((playerId) => {
      if (this.#homes.has(playerId)) this.settle(playerId);
      const home = this.#homes.get(playerId)?.home ?? shownHome(this.modules, newHome(playerId), this);
      return { home, epoch: this.epoch, nowMs: this.nowMs };
    });
  }

  async sync(playerId: string, cursor: LogCursor): Promise<Result<SyncReply, Rejection>> {
    await this.before('sync');
    const log = this.#homes.get(playerId)?.log ?? [];
    if ((cursor.epoch ?? this.epoch) !== this.epoch || cursor.afterSeq > log.length) {
      return refused(reject('sync/ahead', { epoch: this.epoch, seq: log.length }));
    }
    const page = pageOf(log.slice(Math.max(cursor.afterSeq, this.deletedSeq)), cursor.limit ?? 500, cursor.maxBytes);
    return ok({ seq: log.length, nowMs: this.nowMs, ...page });
  }

  follow(playerId: string, follower: Follower): () => void {
    const followers = this.#followers.get(playerId) ?? new Set();
    this.#followers.set(playerId, followers.add(follower));
    return () => followers.delete(follower);
  }

  followersOf(playerId: string): number {
    return this.#followers.get(playerId)?.size ?? 0;
  }

  async now(): Promise<number> {
    await this.before('now');
    return this.nowMs;
  }

  log(playerId: string): readonly HomeEvent[] {
    return this.#homes.get(playerId)?.log ?? [];
  }

  /** The effect of a fired timer. */
  settle(playerId: string): void {
    const kept = this.#open(playerId);
    kept.isTold = true;
    const before = kept.home;
    const events = settle(this.modules, before, this.nowMs);
    this.#save(kept, events);
    if (events.length > 0) this.#publish(kept, { before, events, answers: [] });
  }

  /** Commits as another process would, or this one before it hears of it: its followers are not told here. */
  elsewhere(playerId: string, commands: readonly Command[], commandId?: string): void {
    const kept = this.#open(playerId);
    kept.isTold = true;
    for (const command of commands) {
      this.#judge(kept, { playerId, commandId: commandId ?? `elsewhere-${kept.home.seq}`, command });
    }
  }

  /** As an operator does: the player begins a new life, of which nothing is there yet. */
  erase(playerId: string): void {
    this.#homes.delete(playerId);
    const home = newHome(playerId);
    const nothing = { afterSeq: 0, touched: [], events: [], answers: [] };
    const commit = { playerId, home, nowMs: this.nowMs, isErased: true, ...nothing };
    this.epoch = `${this.epoch}.1`;
    for (const follower of [...(this.#followers.get(playerId) ?? [])]) follower(commit);
  }

  /** Tells followers only that there is something new. */
  nudge(playerId: string): void {
    const kept = this.#open(playerId);
    this.#publish(kept, { before: kept.home, events: [], answers: [] });
  }

  #run(): void {
    const batch = this.#queue;
    this.#queue = [];
    const outcomes = new Map<HomeOrder, Outcome>();
    for (const [playerId, turns] of Map.groupBy(batch, ({ order }) => order.playerId)) {
      const kept = this.#open(playerId);
      // The starter items of a home that has just been opened are news as well.
      const [before, from] = this.#isTold(kept) ? [kept.home, kept.log.length] : [newHome(playerId), 0];
      const answers: Commit['answers'][number][] = [];
      for (const { order } of turns) {
        const outcome = this.#judge(kept, order);
        outcomes.set(order, outcome);
        const own = outcome.ok ? outcome.value : undefined;
        const hash = commandHash(order.command);
        if (own) answers.push({ commandId: order.commandId, hash, fromSeq: own.events[0]?.seq ?? own.seq, reply: own });
      }
      this.#publish(kept, { before, events: kept.log.slice(from), answers });
    }
    for (const { order, answer } of batch) answer(outcomes.get(order) ?? refused(reject('server/unavailable')));
  }

  #judge(kept: Kept, { command, commandId }: HomeOrder): Outcome {
    const body = JSON.stringify(command);
    const known = kept.answered.get(commandId);
    if (known) return known.body === body ? ok(replyOf(this.modules, known.events)) : refused(reject('command/reused'));
    const { home, settled, decision } = judge({
      modules: this.modules,
      home: kept.home,
      command,
      commandId,
      nowMs: this.nowMs,
    });
    kept.log.push(...settled, ...(decision.ok ? decision.value : []));
    kept.home = home;
    if (!decision.ok) return refused(decision.error);
    kept.answered.set(commandId, { body, events: decision.value });
    return ok(replyOf(this.modules, decision.value));
  }

  #open(playerId: string): Kept {
    const known = this.#homes.get(playerId);
    if (known) return known;
    const log = [...openHome(this.modules, newHome(playerId), { nowMs: this.nowMs })];
    const kept = { home: fold(this.modules, newHome(playerId), log), log, isTold: false, answered: new Map() };
    this.#homes.set(playerId, kept);
    return kept;
  }

  #isTold(kept: Kept): boolean {
    const isTold = kept.isTold;
    kept.isTold = true;
    return isTold;
  }

  #save(kept: Kept, events: readonly HomeEvent[]): void {
    kept.log.push(...events);
    kept.home = fold(this.modules, kept.home, events);
  }

  #publish({ home }: Kept, { before, ...told }: { readonly before: Home } & Pick<Commit, 'events' | 'answers'>): void {
    const commit = commitOf(before, home, { ...told, nowMs: this.nowMs });
    for (const follower of [...(this.#followers.get(home.playerId) ?? [])]) follower(commit);
  }
}

/** The store, with another way to change homes. */
export const storeWith = (store: HomeStore, change: HomeStore['change']): HomeStore => ({
  change,
  changeIn: store.changeIn.bind(store),
  whole: store.whole.bind(store),
  events: store.events.bind(store),
  newestSeqs: store.newestSeqs.bind(store),
  epoch: store.epoch.bind(store),
  nowMs: store.nowMs.bind(store),
});
