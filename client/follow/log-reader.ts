import type { HomeEvent } from '../../shared/event.ts';

/**
 * Puts what comes by replies, pushes and pages into one order: each event once, by `seq`. What comes too early is kept
 * until the gap before it is filled.
 */
export class LogReader {
  #seq: number | undefined;
  #early = new Map<number, HomeEvent>();

  /** `seq` of the last event that was read; undefined: reading begins with whatever comes first. */
  get seq(): number | undefined {
    return this.#seq;
  }

  /** Something is missing before an event that has come. */
  get hasGap(): boolean {
    return this.#early.size > 0;
  }

  /** Reads on behind `seq`, whatever was read before. */
  moveTo(seq: number | undefined): void {
    this.#seq = seq;
    this.#early.clear();
  }

  /** The events that are next, in order. */
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

  /** As `take`, of a page that was asked for: what is missing before its first event is no longer in the log. */
  takePage(events: readonly HomeEvent[]): readonly HomeEvent[] {
    const first = events.find((event) => event.seq > (this.#seq ?? 0));
    if (first) this.#seq = first.seq - 1;
    return this.take(events);
  }

  #next(): HomeEvent | undefined {
    return this.#early.get((this.#seq ?? 0) + 1);
  }
}
