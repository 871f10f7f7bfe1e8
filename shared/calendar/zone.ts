/** `make` with a cache of `most` keys. */
export const remembered = <Key, Value>(most: number, make: (key: Key) => Value): ((key: Key) => Value) => {
  const kept = new Map<Key, Value>();
  return (key) => {
    const present = kept.get(key);
    if (present !== undefined || kept.has(key)) return present as Value;
    const made = make(key);
    const [oldest] = kept.keys();
    if (oldest !== undefined && kept.size >= most) kept.delete(oldest);
    kept.set(key, made);
    return made;
  };
};

const SECOND_MS = 1000;
const DAY_MS = 86_400_000;
/** No zone changes its offset twice in a week. */
const WEEK_MS = 7 * DAY_MS;
/** Weeks that are cached for each zone: 76 years. If one late timer reads more, the next timer finds none of them. */
const MOST_WEEKS = 4000;

/** Until `endMs`, and perhaps longer, local time is `offsetMs` ahead of UTC. */
export interface OffsetSpan {
  readonly offsetMs: number;
  readonly endMs: number;
}

/** The local time of a time zone. Local times are written as if they were in UTC. */
export class Zone {
  readonly #format: Intl.DateTimeFormat;
  readonly #weeks = remembered(MOST_WEEKS, (week: number) => this.#week(week));

  /** Throws for an unknown IANA name. */
  constructor(timeZone: string) {
    const [numeric, year] = ['numeric', 'numeric'] as const;
    const date = { year, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric } as const;
    this.#format = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...date });
  }

  /** The offset from an instant on. */
  stretch(atMs: number): OffsetSpan {
    const [first, second] = this.#weeks(Math.floor(atMs / WEEK_MS));
    return atMs < first.endMs ? first : second;
  }

  /** The first instant with this local time; if clocks skipped it, a later one. */
  instantOf(wallMs: number): number {
    for (let atMs = wallMs - 2 * DAY_MS; ; ) {
      const { offsetMs, endMs } = this.stretch(atMs);
      if (wallMs - offsetMs < endMs) return Math.max(atMs, wallMs - offsetMs);
      atMs = endMs;
    }
  }

  wallOf(atMs: number): number {
    return atMs + this.stretch(atMs).offsetMs;
  }

  /** The offsets before and after a change; twice the same if there is none. */
  #week(week: number): readonly [OffsetSpan, OffsetSpan] {
    let [fromMs, endMs] = [week * WEEK_MS, (week + 1) * WEEK_MS];
    const [before, after] = [this.#offsetMs(fromMs), this.#offsetMs(endMs)];
    const second = { offsetMs: after, endMs };
    if (before === after) return [second, second];
    while (endMs - fromMs > SECOND_MS) {
      const middleMs = fromMs + Math.floor((endMs - fromMs) / 2 / SECOND_MS) * SECOND_MS;
      if (this.#offsetMs(middleMs) === before) fromMs = middleMs;
      else endMs = middleMs;
    }
    return [{ offsetMs: before, endMs }, second];
  }

  #offsetMs(atMs: number): number {
    const shown = Object.fromEntries(this.#format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = shown;
    return Date.UTC(year, month - 1, day, hour, minute, second) - atMs;
  }
}

/** A game has as many zones as its players live in. Throws for an unknown IANA name. */
export const zoneOf = remembered(1000, (timeZone: string) => new Zone(timeZone));
