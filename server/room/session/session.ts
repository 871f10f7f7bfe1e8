import { type Reply, reject, type SyncReply } from '../../../shared/protocol.ts';
import type { Commit, HomeView } from '../../home/model/commit.ts';
import type { HomeOrder, LogCursor } from '../../home/model/homes.ts';
import type { ClientReply } from './answer.ts';
import { Commands, Questions } from './commands.ts';
import { AGAIN_MS, firstSeqOf, type LogPart, LogPlace, partOfAnswer, repliesOf, retryRead } from './log-place.ts';
import type { Recipient, SessionOptions, Show, Since } from './session-options.ts';
import { ThingsSender } from './things-sender.ts';

/**
 * One client's place in its player's log. Events leave in `seq` order, each once, by a reply or a push; missing events
 * are read first. While the client is away nothing is sent and the place stays.
 *
 * One commit reads at most one page. If that does not reach the commit, the page says `truncated` and the place stays
 * there: later commits, or the client's `home:sync`, go on from it. Until then replies run ahead of the pushes.
 */
export class Session {
  readonly playerId: string;
  readonly #on: SessionOptions;
  readonly #commands: Commands;
  readonly #place: LogPlace;
  /** Undefined: the client did not ask for things. */
  #things: ThingsSender | undefined;
  /** `seq` of the newest shown home. */
  #knownSeq = 0;
  /** Parts that arrived while the log is read; undefined: it is not being read. */
  #waiting: LogPart[] | undefined;
  /** The client came back meanwhile: the log must be read again. */
  #isBehind = false;
  #show: Show | undefined;
  #unfollow: (() => void) | undefined;
  #cancelAgain: (() => void) | undefined;
  /** For reads that a client asks for: a client that asks faster than it gets replies delays only itself. */
  readonly questions = new Questions();

  constructor(options: SessionOptions) {
    this.#on = options;
    this.playerId = options.playerId;
    this.#commands = new Commands(options);
    // A client that must first get all things receives no events before them.
    const recipient = () => (this.#things?.isBlind ? undefined : options.recipient());
    this.#place = new LogPlace({ recipient, limit: options.page.limit });
  }

  /** Sends all later commits. Reads nothing: the client asks for what it missed. */
  follow(): void {
    this.#unfollow ??= this.#on.homes.follow(this.playerId, (commit) => this.#onCommit(commit));
  }

  /** Settles the home, then shows it now and after each commit. Throws a fault if it cannot be loaded. */
  async look(show: Show | undefined): Promise<HomeView> {
    this.#show = show ?? this.#show;
    this.follow();
    const looked = this.#loadHome();
    const view = await (this.#things?.during(looked) ?? looked);
    this.#knownSeq = Math.max(this.#knownSeq, view.home.seq);
    this.#show?.(view.home, view.epoch);
    return view;
  }

  /**
   * Follows, settles, and sends what the client missed since its cursor, if it has one, before newer events. Throws a
   * fault if the home cannot be loaded; it follows all the same, until it is closed, and `catchUp` begins at the cursor.
   */
  async open(since: Since, show?: Show): Promise<void> {
    if (since.things) this.#followThings();
    this.#place.setCursor(since);
    await this.#settleAndRead(show);
  }

  /** Settles again and sends what the client missed while it was away. Never throws: it is tried again. */
  async catchUp(): Promise<void> {
    this.#things?.forget();
    if (this.#waiting) {
      this.#isBehind = true;
      return;
    }
    await this.#settleAndRead().catch((error) => {
      this.#on.onFault('what a client missed could not be read', error);
      this.#tryAgain();
    });
  }

  /** From now on sends things, all of them at first. Throws a fault if the home cannot be loaded. */
  async sendThings(): Promise<void> {
    this.#followThings();
    if (this.#waiting) return void (await this.look(undefined));
    await this.#settleAndRead();
  }

  close(): void {
    this.#unfollow?.();
    this.#cancelAgain?.();
    this.#commands.end();
    this.questions.end();
  }

  /** Asks the client to join anew, accepts no more commands, and resolves when the accepted ones have their replies. */
  async drain(): Promise<void> {
    this.#on.recipient()?.send('home:drain', {});
    await this.#commands.drain();
  }

  /** Never throws: the reply gets every outcome. */
  command(order: HomeOrder, answer: ClientReply<Reply>, recipient: Recipient): Promise<void> {
    return this.#commands.submit(order, answer, recipient);
  }

  /** Replies with a page of the log. Throws a fault if it cannot be loaded. */
  async sync(cursor: LogCursor, answer: ClientReply<SyncReply | object>, recipient: Recipient): Promise<void> {
    const page = await this.#on.homes.sync(this.playerId, cursor);
    if (!page.ok) return answer.refuse(page.error);
    answer.accept(page.value);
    const isInOrder = cursor.afterSeq <= (this.#place.seq ?? cursor.afterSeq) && recipient === this.#on.recipient();
    if (isInOrder) this.#place.reach(page.value.events.at(-1)?.seq ?? cursor.afterSeq);
  }

  /** For hours no commit may come. */
  #tryAgain(): void {
    this.#cancelAgain?.();
    this.#cancelAgain = this.#on.clock.after(AGAIN_MS, () => this.#on.recipient() && void this.catchUp());
  }

  async #loadHome(): Promise<HomeView> {
    const [view] = await this.#on.homes.look([this.playerId]);
    if (!view) throw new Error('a look at one home must return one');
    return view;
  }

  /** Sends nothing meanwhile. A log that cannot be read is read again later; a home that cannot be loaded throws. */
  async #settleAndRead(show?: Show): Promise<void> {
    this.#waiting = [];
    try {
      const view = await this.look(show);
      this.#place.moveToCursor(view);
      if (this.#place.nextSeq <= view.home.seq && !(await this.#read())) this.#tryAgain();
    } finally {
      this.#goOn();
    }
  }

  #followThings(): void {
    const { recipient, describe, page } = this.#on;
    this.#things ??= new ThingsSender({ recipient, describe, maxBytes: page.maxBytes });
  }

  #onCommit(commit: Commit): void {
    const { home, events, answers, nowMs, afterSeq, isErased } = commit;
    if (isErased) {
      this.#show?.(home);
      this.#startAnew();
      return;
    }
    // Before a repeated command's first reply: those events are older.
    this.#place.beginAfter(afterSeq);
    try {
      this.#show?.(home);
      this.#knownSeq = Math.max(this.#knownSeq, home.seq);
      this.#things?.onCommit(commit);
      if (this.#things?.needsLook) void this.catchUp();
    } finally {
      // Runs even if the lines above fail: no other call sends the replies.
      for (const answer of answers) if (answer.fromSeq <= afterSeq) this.#accept(partOfAnswer(answer));
      this.#accept({ events, answers, nowMs, seq: home.seq });
    }
  }

  /** Everything that the client knows belongs to an ended life; the next read shows the new one. */
  #startAnew(): void {
    this.#place.reset();
    this.#knownSeq = 0;
    this.#waiting = this.#waiting?.map(repliesOf);
    this.#on.recipient()?.send('home:rejected', reject('sync/ahead', { seq: 0 }));
    this.#things?.forget();
    // Commits do not name the epoch: without a read, a shown state would keep the old home until `seq` is beyond it.
    if (this.#things || this.#show) void this.catchUp();
    this.#on.onErased?.();
  }

  #accept(part: LogPart): void {
    this.#place.beginAfter(firstSeqOf(part) - 1);
    if (this.#waiting) this.#waiting.push(part);
    else if (firstSeqOf(part) <= this.#place.nextSeq || !this.#on.recipient()) this.#send(part);
    else this.#readFor(part).catch((error) => this.#on.onFault('news could not be told', error));
  }

  async #readFor(part: LogPart): Promise<void> {
    this.#waiting = [part];
    // A client that left or came back reads anew: replies of its ended connection have no order to keep.
    const isNeeded = () => this.#on.recipient() !== undefined && !this.#isBehind;
    const isRead = await retryRead(() => this.#read(), isNeeded, this.#on.clock);
    if (!isRead && isNeeded()) this.#commands.fail(this.#waiting.splice(0).flatMap(({ answers }) => answers));
    if (!isRead) this.#tryAgain();
    // Even if the page did not reach it: no part may wait for a second page.
    const [first, ...others] = this.#waiting;
    if (!this.#isBehind) this.#waiting = others;
    if (first && !this.#isBehind) this.#send(first);
    this.#goOn();
  }

  /** Sends the events between the cursor and the waiting parts. Returns false if the log could not be read. */
  async #read(): Promise<boolean> {
    const { homes, page, onFault } = this.#on;
    try {
      const found = await homes.sync(this.playerId, { afterSeq: this.#place.nextSeq - 1, ...page });
      if (!found.ok) {
        onFault('a session lost its place in the log', found.error);
        return true;
      }
      // Replies that are under way must leave before the log's events of the same or later commands.
      await this.#commands.published(found.value.events);
      const [next] = this.#waiting?.sort((one, other) => firstSeqOf(one) - firstSeqOf(other)) ?? [];
      // Not beyond the shown state, however far the log has come.
      this.#place.pushPage(found.value, next ? firstSeqOf(next) - 1 : this.#knownSeq);
      return true;
    } catch (error) {
      onFault('what a client missed could not be read', error);
      return false;
    }
  }

  #goOn(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    if (this.#isBehind) {
      this.#isBehind = false;
      void this.catchUp();
    }
    for (const part of waiting) this.#accept(part);
  }

  #send(part: LogPart): void {
    for (const answer of part.answers) {
      const pending = this.#commands.removePending(answer);
      if (!pending) continue;
      // A client that is gone reads nothing; for its successor these are ordinary events.
      const isHere = pending.recipient === this.#on.recipient();
      if (isHere) this.#place.pushUpTo(answer.fromSeq - 1, part);
      pending.answer.accept(answer.reply);
      if (isHere && answer.fromSeq <= this.#place.nextSeq) this.#place.reach(answer.reply.seq);
    }
    this.#place.pushUpTo(part.seq, part);
  }
}
