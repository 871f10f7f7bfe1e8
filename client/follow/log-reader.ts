import type { HomeEvent } from '../../shared/event.ts';

/**
 * Puts the events of replies, pushes and pages into one order: each event once, by `seq`. Early events wait until the
 * gap before them is filled.
 */
export class LogReader {
  #seq: number | undefined;
  #early = new Map<number, HomeEvent>();

  /** `seq` of the last read event; undefined: reading begins with the first event that comes. */
  get seq(): number | undefined {
    return this.#seq;
  }

  /** Whether an event is missing before one that has come. */
  get hasGap(): boolean {
    return this.#early.size > 0;
  }

  /** Goes on reading after `seq`, whatever was read before. */
  moveTo(seq: number | undefined): void {
    this.#seq = seq;
    this.#early.clear();
  }

  /** Returns the next events, in order. */
  take(events: readonly HomeEvent[]): readonly HomeEvent[] {
    for (const event of events) {
      this.#seq ??= event.seq - 1;
      if (event.seq > this.#seq) this.#early.set(event.seq, event);
    }
    const next: HomeEvent[] = [];
    for (let event = this.#next(); event; event = this.#next()) {
      this.#early.delete(event.seq);
      this.#seq = event.seq;
      next.push(event);
    }
    return next;
  }

  /** As `take`, for a requested page: events missing before its first one are no longer in the log. */
  takePage(events: readonly HomeEvent[]): readonly HomeEvent[] {
    const first = events.find((event) => event.seq > (this.#seq ?? 0));
    if (first) this.#seq = first.seq - 1;
    return this.take(events);
  }

  #next(): HomeEvent | undefined {
    return this.#early.get((this.#seq ?? 0) + 1);
  }
}
