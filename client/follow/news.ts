import type { HomeEvent } from '../../shared/event.ts';
import type { EventsMessage, Rejection, SyncReply } from '../../shared/protocol.ts';
import type { Link, RequestOutcome } from './link.ts';
import { LogReader } from './log-reader.ts';
import type { Platform } from './platform.ts';

/** A place in a player's log. `seq` of different epochs cannot be compared. */
export interface Cursor {
  readonly epoch: string;
  readonly seq: number;
}

export interface NewsOptions {
  readonly platform: Platform;
  readonly since: Cursor | undefined;
  readonly onEvents: (events: readonly HomeEvent[], isMissed: boolean) => void;
  readonly onNewLog: (start: Cursor) => void;
}

/** How long news may lag behind the state before they are requested. */
const LAG_MS = 2_000;
/** A reply is delivered a moment after its frame, so a push may overtake it. */
const GAP_MS = 50;
const PAGE = 500;

/** The player's log on this client: each event once, in order; missing events are requested (`home:sync`). */
export class News {
  readonly #on: NewsOptions;
  readonly #log = new LogReader();
  #epoch: string | undefined;
  #playerId: string | undefined;
  /** The log reaches at least this far. */
  #endSeq = 0;
  /** Events up to here happened before the connection. */
  #missedSeq = 0;
  #link: Link | undefined;
  #reading: Link | undefined;
  #cancelLook = (): void => {};

  constructor(options: NewsOptions) {
    this.#on = options;
    this.#epoch = options.since?.epoch;
    this.#log.moveTo(options.since?.seq);
  }

  get cursor(): Cursor | undefined {
    const { seq } = this.#log;
    return this.#epoch === undefined || seq === undefined ? undefined : { epoch: this.#epoch, seq };
  }

  /** Undefined: the connection was lost. */
  use(link: Link | undefined): void {
    this.#link = link;
    if (!link) this.#cancelLook();
  }

  /** Called before the events that led to the home. `isFirst`: the first one of a connection. */
  see(home: Cursor & { readonly playerId: string }, isFirst: boolean): void {
    const known = this.cursor;
    const isOther = known !== undefined && known.epoch !== home.epoch;
    const isOthers = this.#playerId !== undefined && this.#playerId !== home.playerId;
    const isAhead = isFirst && (known?.seq ?? 0) > home.seq;
    this.#playerId = home.playerId;
    this.#endSeq = home.seq;
    this.#epoch ??= home.epoch;
    if (isFirst) this.#missedSeq = home.seq;
    if (isOther || isOthers || isAhead) this.#startAnew(home);
    else if (known === undefined) this.#log.moveTo(home.seq);
    if (this.#isBehind()) this.#lookLater(LAG_MS);
  }

  /**
   * For a connection after a join without things: requests them and the missed events. Both arrive before the returned
   * value.
   */
  async seek(link: Link): Promise<RequestOutcome<unknown>> {
    const asked = await this.#askPage(link, { snapshot: true });
    if (link === this.#link && this.#takePage(asked, link)) this.#read();
    return asked;
  }

  hear({ events, truncated }: EventsMessage): void {
    this.take(events);
    if (truncated) this.#read();
  }

  /** Accepts the events of a push or a reply. */
  take(events: readonly HomeEvent[]): void {
    this.#tell(this.#log.take(events));
    if (this.#log.hasGap) this.#lookLater(GAP_MS);
  }

  /** `sync/ahead`: the server does not know the given place. */
  refuse({ params }: Rejection): void {
    // After an erasure the next home names the new log.
    if (params.epoch === undefined) return;
    const start = { epoch: String(params.epoch), seq: Number(params.seq) };
    // The state may have shown this before.
    if (this.cursor?.epoch !== start.epoch || this.cursor.seq > start.seq) this.#startAnew(start);
  }

  #startAnew({ epoch, seq }: Cursor): void {
    this.#epoch = epoch;
    this.#endSeq = seq;
    this.#missedSeq = seq;
    this.#log.moveTo(seq);
    this.#on.onNewLog({ epoch, seq });
  }

  #tell(events: readonly HomeEvent[]): void {
    const missed = events.filter((event) => event.seq <= this.#missedSeq);
    const fresh = events.filter((event) => event.seq > this.#missedSeq);
    if (missed.length > 0) this.#on.onEvents(missed, true);
    if (fresh.length > 0) this.#on.onEvents(fresh, false);
  }

  #isBehind(): boolean {
    return this.#log.hasGap || (this.#log.seq ?? 0) < this.#endSeq;
  }

  #lookLater(ms: number): void {
    this.#cancelLook();
    this.#cancelLook = this.#on.platform.after(ms, () => {
      if (this.#isBehind()) this.#read();
    });
  }

  /** Reads missing events, page by page. */
  async #read(): Promise<void> {
    const link = this.#link;
    if (!link || link === this.#reading) return;
    this.#reading = link;
    try {
      while (link === this.#link && (await this.#readPage(link))) {
        // Repeats until the last page.
      }
    } finally {
      if (link === this.#reading) this.#reading = undefined;
    }
  }

  async #readPage(link: Link): Promise<boolean> {
    const asked = await this.#askPage(link);
    return link === this.#link && this.#takePage(asked, link);
  }

  #askPage(link: Link, more: { readonly snapshot?: true } = {}): Promise<RequestOutcome<SyncReply>> {
    const { cursor } = this;
    const afterSeq = this.#log.seq ?? 0;
    return link.ask('home:sync', { ...(cursor && { epoch: cursor.epoch }), afterSeq, limit: PAGE, ...more });
  }

  /** Returns whether more pages follow. */
  #takePage(asked: RequestOutcome<SyncReply>, link: Link): boolean {
    if (asked.kind === 'accepted') {
      const isMore = link.read('home:sync', () => {
        this.#tell(this.#log.takePage(asked.value.events));
        return asked.value.truncated;
      });
      return isMore === true;
    }
    if (asked.kind === 'rejected' && asked.rejection.code === 'sync/ahead') this.refuse(asked.rejection);
    else this.#lookLater(LAG_MS);
    return false;
  }
}
