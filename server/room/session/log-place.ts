import type { HomeEvent } from '../../../shared/event.ts';
import { reject, type SyncReply } from '../../../shared/protocol.ts';
import type { Answer, Commit, HomeView } from '../../home/model/commit.ts';
import type { Recipient, SessionOptions, Since } from './session-options.ts';

const RETRY_EVERY_MS = 250;
/** For a client that came back and could not be told what it missed. */
export const AGAIN_MS = 1_000;
/** Shorter than a client waits for its reply (8 s), longer than a restart of Postgres. */
const RETRY_FOR_MS = 6_000;

/** Repeats a read of the log until it returns true, is not needed, or has failed for 6 s. Returns its last result. */
export const retryRead = async (
  read: () => Promise<boolean>,
  isNeeded: () => boolean,
  clock: SessionOptions['clock'],
): Promise<boolean> => {
  let isLate = false;
  const stop = clock.after(RETRY_FOR_MS, () => {
    isLate = true;
  });
  let isRead = await read();
  while (!isRead && !isLate && isNeeded()) {
    await new Promise<void>((resolve) => clock.after(RETRY_EVERY_MS, resolve));
    isRead = await read();
  }
  stop();
  return isRead;
};

/** A part of a log and its commands. */
export interface LogPart extends Pick<Commit, 'events' | 'answers' | 'nowMs'> {
  /** The end of the log as of this part. */
  readonly seq: number;
}

/** The first `seq` of the part. A part without events says that the log has everything up to its end. */
export const firstSeqOf = (part: LogPart): number => part.events[0]?.seq ?? part.seq + 1;

/** The first reply to a repeated command: its events lie before those of the commit. */
export const partOfAnswer = (answer: Answer): LogPart => {
  const { events, nowMs, seq } = answer.reply;
  return { events, answers: [answer], nowMs, seq };
};

/** The replies alone, as a part without a place: the events belong to the log of an erased home. */
export const repliesOf = (part: LogPart): LogPart => ({
  ...part,
  events: [],
  seq: 0,
  answers: part.answers.map((answer) => ({ ...answer, fromSeq: Number.POSITIVE_INFINITY })),
});

interface Dependencies {
  readonly recipient: () => Recipient | undefined;
  /** The most events in one push. */
  readonly limit: number;
}

/** One client's place in its player's log. Events leave in `seq` order, each once. */
export class LogPlace {
  readonly #on: Dependencies;
  #seq: number | undefined;
  /** Where the client wants to start, until the place has moved there or events have left. */
  #since: Since | undefined;

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
  }

  /** `seq` of the last event sent in order; undefined: it begins with the first part. */
  get seq(): number | undefined {
    return this.#seq;
  }

  get nextSeq(): number {
    return (this.#seq ?? 0) + 1;
  }

  /** Begins after this event, unless it has begun. */
  beginAfter(seq: number): void {
    this.#seq ??= seq;
  }

  /** The cursor of the client, for `moveToCursor`. */
  setCursor(since: Since): void {
    this.#since = since;
  }

  /** Moves to the client's cursor, else to the end of the log. Refuses a cursor that is not in this log. */
  moveToCursor({ epoch, home: { seq } }: HomeView): void {
    if (!this.#since) {
      this.beginAfter(seq);
      return;
    }
    const { afterSeq = seq, epoch: wanted = epoch } = this.#since;
    const isAhead = wanted !== epoch || afterSeq > seq;
    const recipient = this.#on.recipient();
    if (isAhead) recipient?.send('home:rejected', reject('sync/ahead', { epoch, seq }));
    this.#seq = isAhead ? seq : afterSeq;
    if (recipient) this.#since = undefined;
  }

  /** Moves before the first event: the home has a new life. */
  reset(): void {
    this.#moveTo(0);
  }

  /** Moves to this event, but never back. */
  reach(seq: number): void {
    this.#moveTo(Math.max(this.nextSeq - 1, seq));
  }

  pushUpTo(seq: number, { events, nowMs }: Pick<LogPart, 'events' | 'nowMs'>): void {
    const { recipient, limit } = this.#on;
    if (!recipient()) return;
    const next = events.filter((event) => event.seq >= this.nextSeq && event.seq <= seq);
    if (next[0]?.seq !== this.nextSeq) return;
    for (let at = 0; at < next.length; at += limit) this.#push(next.slice(at, at + limit), nowMs, false);
  }

  /** Sends the next events of a page of the log, up to `end`. */
  pushPage({ events, nowMs, truncated }: SyncReply, end: number): void {
    if (!this.#on.recipient()) return;
    const missed = events.filter((event) => event.seq >= this.nextSeq && event.seq <= end);
    const isTruncated = truncated === true && (events.at(-1)?.seq ?? 0) < end;
    if (missed.length > 0) this.#push(missed, nowMs, isTruncated);
    // Older events than the retention are no longer in the log, so nothing is missing.
    if (!isTruncated) this.reach(end);
  }

  #push(events: readonly HomeEvent[], nowMs: number, isTruncated: boolean): void {
    this.#on.recipient()?.send('home:events', { events, nowMs, ...(isTruncated ? { truncated: true } : {}) });
    this.#moveTo(events.at(-1)?.seq ?? this.#seq);
  }

  #moveTo(seq: number | undefined): void {
    this.#seq = seq;
    this.#since = undefined;
  }
}
