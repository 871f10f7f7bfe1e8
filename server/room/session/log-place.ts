import type { HomeEvent } from '../../../shared/event.ts';
import type { SyncReply } from '../../../shared/protocol.ts';
import type { News } from './news.ts';
import type { Recipient } from './recipient.ts';

interface Dependencies {
  readonly recipient: () => Recipient | undefined;
  /** Events in one push. */
  readonly limit: number;
}

/** How far one client was told of its player's log. Events leave in `seq` order, each once. */
export class LogPlace {
  readonly #dependencies: Dependencies;
  #seq: number | undefined;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** `seq` of the last event that was sent in order; undefined: it begins with the first news. */
  get seq(): number | undefined {
    return this.#seq;
  }

  get nextSeq(): number {
    return (this.#seq ?? 0) + 1;
  }

  /** Behind this event, unless it has begun. */
  begin(seq: number): void {
    this.#seq ??= seq;
  }

  /** Wherever it was. */
  moveTo(seq: number): void {
    this.#seq = seq;
  }

  /** Never back. */
  reach(seq: number): void {
    this.#seq = Math.max(this.nextSeq - 1, seq);
  }

  pushUpTo(seq: number, { events, nowMs }: Pick<News, 'events' | 'nowMs'>): void {
    const { recipient, limit } = this.#dependencies;
    if (!recipient()) return;
    const next = events.filter((event) => event.seq >= this.nextSeq && event.seq <= seq);
    if (next[0]?.seq !== this.nextSeq) return;
    for (let at = 0; at < next.length; at += limit) this.#push(next.slice(at, at + limit), nowMs, false);
  }

  /** Of a page of the log what is next, up to `end`. */
  pushPage({ events, nowMs, truncated }: SyncReply, end: number): void {
    if (!this.#dependencies.recipient()) return;
    const missed = events.filter((event) => event.seq >= this.nextSeq && event.seq <= end);
    const isTruncated = truncated === true && (events.at(-1)?.seq ?? 0) < end;
    if (missed.length > 0) this.#push(missed, nowMs, isTruncated);
    // Events older than the retention are no longer in the log: nothing is missing there.
    if (!isTruncated) this.reach(end);
  }

  #push(events: readonly HomeEvent[], nowMs: number, isTruncated: boolean): void {
    this.#dependencies.recipient()?.send('home:events', { events, nowMs, ...(isTruncated ? { truncated: true } : {}) });
    this.#seq = events.at(-1)?.seq ?? this.#seq;
  }
}
