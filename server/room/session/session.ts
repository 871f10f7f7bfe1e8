import type { HomeEvent } from '../../../shared/event.ts';
import type { Home } from '../../../shared/home.ts';
import { type Reply, reject, type SyncReply } from '../../../shared/protocol.ts';
import type { Commit, HomeOrder, Homes, HomeView, LogCursor, Outcome } from '../../home/model/homes.ts';
import type { Answer } from './answer.ts';
import { firstSeqOf, type News, newsOf } from './news.ts';
import { CommandsInFlight, type Pending, PendingAnswers } from './pending-commands.ts';
import type { Recipient } from './recipient.ts';
import { serialQueue } from './serial-queue.ts';

export interface SessionOptions {
  readonly playerId: string;
  readonly homes: Homes;
  /** The client as it is connected now; undefined while it is away. */
  readonly recipient: () => Recipient | undefined;
  /** How much of the log one push may carry, at most. */
  readonly page: { readonly limit: number; readonly maxBytes: number };
  readonly onFault: (message: string, error: unknown) => void;
  /** The player was erased. */
  readonly onErased?: (() => void) | undefined;
}

/** Brings a newer home to whoever looks at its state; called before the events are sent that made it. */
export type Show = (home: Home, epoch?: string) => void;

/** Where a client was when it last knew: of a join's options. */
export interface Since {
  readonly afterSeq?: number | undefined;
  readonly epoch?: string | undefined;
}

/**
 * One client's place in its player's log. Events leave in `seq` order, each once, whether a reply or a push carries
 * them; what is missing is read first. While the client is away nothing is sent and the place stays.
 *
 * One commit reads at most one page. When that does not reach it, the page says `truncated` and the place stays there:
 * later commits, or the client by `home:sync`, go on from it. Until then replies run ahead of the pushes.
 */
export class Session {
  readonly #options: SessionOptions;
  readonly #pending = new PendingAnswers();
  readonly #inFlight = new CommandsInFlight();
  /** `seq` of the last event that was sent in order; undefined: it begins with the first news. */
  #cursor: number | undefined;
  /** `seq` of the newest home that was shown. */
  #knownSeq = 0;
  /** What came while the log is being read; undefined: it is not being read. */
  #waiting: News[] | undefined;
  #show: Show | undefined;
  #isDraining = false;
  #unfollow: (() => void) | undefined;
  /** For what a client asks to read: a client that asks faster than it is answered delays only itself. */
  readonly inTurn = serialQueue();

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  get playerId(): string {
    return this.#options.playerId;
  }

  /** Tells what happens from now on. Reads nothing: what was missed is the client's to ask for. */
  follow(): void {
    this.#unfollow ??= this.#options.homes.follow(this.playerId, (commit) => this.#hear(commit));
  }

  /** Looks at the home, then shows it now and after each commit. Throws a fault when it cannot be had. */
  async look(show: Show | undefined): Promise<HomeView> {
    this.#show = show ?? this.#show;
    this.follow();
    const [view] = await this.#options.homes.look([this.playerId]);
    if (!view) throw new Error('a look at one home must answer one');
    this.#knownSeq = Math.max(this.#knownSeq, view.home.seq);
    this.#show?.(view.home, view.epoch);
    return view;
  }

  /**
   * Follows, looks, and tells what was missed since the client's cursor, if it has one, before anything newer. Throws a
   * fault when the home cannot be had; it follows all the same, until it is closed.
   */
  async open(since: Since, show?: Show): Promise<void> {
    this.#waiting = [];
    try {
      const view = await this.look(show);
      this.#cursor = this.#startOf(since, view);
      if (this.#cursor < view.home.seq) await this.#read();
    } finally {
      this.#goOn();
    }
  }

  /** Looks again and sends what happened while the client was away. Never throws: the next commit tries again. */
  async catchUp(): Promise<void> {
    if (this.#waiting) return;
    this.#waiting = [];
    try {
      const view = await this.look(undefined);
      this.#cursor ??= view.home.seq;
      if (this.#cursor < view.home.seq) await this.#read();
    } catch (error) {
      this.#options.onFault('what a client missed could not be read', error);
    }
    this.#goOn();
  }

  close(): void {
    this.#unfollow?.();
    this.#pending.endAll();
  }

  /** Tells the client to join anew, accepts no command any more, and ends when the accepted ones are answered. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    this.#recipient()?.send('home:drain', {});
    await this.#pending.answered();
  }

  /** Never throws: the answer is told of everything. */
  async command(order: HomeOrder, answer: Answer<Reply>, recipient: Recipient): Promise<void> {
    const { commandId } = order;
    // The same id sent twice at once: a commit names ids only, so the earlier one must have its answer first.
    for (let earlier = this.#pending.get(commandId); earlier; earlier = this.#pending.get(commandId)) {
      await earlier.ended;
    }
    if (this.#isDraining) return answer.refuse(reject('server/unavailable'));
    const pending = this.#pending.add(commandId, answer, recipient);
    try {
      const [outcome] = await this.#inFlight.follow(commandId, this.#options.homes.handle([order]));
      // Otherwise the commit has told it already.
      if (this.#pending.get(commandId) === pending) this.#conclude(commandId, pending, outcome);
    } catch (error) {
      this.#options.onFault('a command failed', error);
      if (this.#pending.get(commandId) !== pending) return;
      this.#pending.end(commandId);
      answer.fail();
    }
  }

  /** A page of the log for a client that asked. Throws a fault when it cannot be had. */
  async sync(cursor: LogCursor, answer: Answer<SyncReply | object>, recipient: Recipient): Promise<void> {
    const page = await this.#options.homes.sync(this.playerId, cursor);
    if (!page.ok) return answer.refuse(page.error);
    answer.accept(page.value);
    const isInOrder = cursor.afterSeq <= (this.#cursor ?? cursor.afterSeq) && recipient === this.#recipient();
    if (isInOrder) this.#cursor = Math.max(this.#cursor ?? 0, page.value.events.at(-1)?.seq ?? cursor.afterSeq);
  }

  #startOf({ afterSeq, epoch }: Since, view: HomeView): number {
    const { seq } = view.home;
    const isAhead = (epoch ?? view.epoch) !== view.epoch || (afterSeq ?? 0) > seq;
    if (isAhead) this.#recipient()?.send('home:rejected', reject('sync/ahead', { epoch: view.epoch, seq }));
    return isAhead ? seq : (afterSeq ?? seq);
  }

  #conclude(commandId: string, pending: Pending, outcome: Outcome | undefined): void {
    if (!outcome) throw new Error('one order must have one outcome');
    if (outcome.ok) {
      this.#take(newsOf(commandId, outcome.value));
    } else {
      this.#pending.end(commandId);
      pending.answer.refuse(outcome.error);
    }
  }

  #hear({ home, events, answers, nowMs, isErased }: Commit): void {
    if (isErased) {
      this.#startAnew();
      return;
    }
    // A home that was never saved has no items yet: what the player sees then comes from a look.
    if (home.seq > 0) this.#show?.(home);
    this.#knownSeq = Math.max(this.#knownSeq, home.seq);
    this.#take({ events, answers, nowMs, seq: home.seq });
  }

  /** All that the client knows is of a life that is over; the next look shows the new one. */
  #startAnew(): void {
    this.#cursor = 0;
    this.#knownSeq = 0;
    this.#recipient()?.send('home:rejected', reject('sync/ahead', { seq: 0 }));
    this.#options.onErased?.();
  }

  #take(news: News): void {
    this.#cursor ??= firstSeqOf(news) - 1;
    if (this.#waiting) this.#waiting.push(news);
    else if (firstSeqOf(news) <= this.#cursor + 1 || !this.#recipient()) this.#tell(news);
    else this.#readFor(news).catch((error) => this.#options.onFault('news could not be told', error));
  }

  async #readFor(news: News): Promise<void> {
    this.#waiting = [news];
    await this.#read();
    // Even if the page did not reach it: nothing may wait for a second one.
    const [first, ...others] = this.#waiting;
    this.#waiting = others;
    if (first) this.#tell(first);
    this.#goOn();
  }

  /** Sends what lies between the cursor and the news that wait. */
  async #read(): Promise<void> {
    const { homes, page, onFault } = this.#options;
    try {
      const found = await homes.sync(this.playerId, { afterSeq: this.#nextSeq() - 1, ...page });
      if (found.ok) await this.#hearAnswers(found.value.events);
      if (found.ok) this.#tellPage(found.value);
      else onFault('a session lost its place in the log', found.error);
    } catch (error) {
      onFault('what a client missed could not be read', error);
    }
  }

  /** An answer that is on its way goes before what the log has of it and of what followed. */
  async #hearAnswers(events: readonly HomeEvent[]): Promise<void> {
    await Promise.allSettled(this.#inFlight.of(events));
    this.#waiting?.sort((one, other) => firstSeqOf(one) - firstSeqOf(other));
  }

  #tellPage({ events, nowMs, truncated }: SyncReply): void {
    if (!this.#recipient()) return;
    const [next] = this.#waiting ?? [];
    // No further than what the state shows, however far the log has come.
    const end = next ? firstSeqOf(next) - 1 : this.#knownSeq;
    const missed = events.filter((event) => event.seq >= this.#nextSeq() && event.seq <= end);
    const isTruncated = truncated === true && (events.at(-1)?.seq ?? 0) < end;
    if (missed.length > 0) this.#push(missed, nowMs, isTruncated);
    // Events older than the retention are no longer in the log: nothing is missing there.
    if (!isTruncated) this.#cursor = Math.max(this.#nextSeq() - 1, end);
  }

  #goOn(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const news of waiting) this.#take(news);
  }

  #tell(news: News): void {
    for (const answer of news.answers) {
      const pending = this.#pending.get(answer.commandId);
      if (!pending) continue;
      this.#pending.end(answer.commandId);
      // A client that is gone reads nothing: to its successor these are events like others.
      const isHere = pending.recipient === this.#recipient();
      if (isHere) this.#pushUpTo(answer.fromSeq - 1, news);
      pending.answer.accept(answer.reply);
      if (isHere && answer.fromSeq <= this.#nextSeq()) this.#cursor = Math.max(this.#nextSeq() - 1, answer.reply.seq);
    }
    this.#pushUpTo(news.seq, news);
  }

  #pushUpTo(seq: number, news: News): void {
    if (!this.#recipient()) return;
    const events = news.events.filter((event) => event.seq >= this.#nextSeq() && event.seq <= seq);
    if (events[0]?.seq !== this.#nextSeq()) return;
    for (let at = 0; at < events.length; at += this.#options.page.limit) {
      this.#push(events.slice(at, at + this.#options.page.limit), news.nowMs, false);
    }
  }

  #push(events: readonly HomeEvent[], nowMs: number, isTruncated: boolean): void {
    this.#recipient()?.send('home:events', { events, nowMs, ...(isTruncated ? { truncated: true } : {}) });
    this.#cursor = events.at(-1)?.seq ?? this.#cursor;
  }

  #nextSeq(): number {
    return (this.#cursor ?? 0) + 1;
  }

  #recipient(): Recipient | undefined {
    return this.#options.recipient();
  }
}
