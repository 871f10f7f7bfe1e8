import type { Histogram } from 'hdr-histogram-js';

/** Of one kind of time, in ms. */
export interface Percentiles {
  readonly count: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

const US_A_MS = 1000;

/** A histogram of times: exact to three digits from a microsecond to an hour, for any number of times. */
export class Times {
  readonly #histogram: Histogram;

  constructor(createHistogram: () => Histogram) {
    this.#histogram = createHistogram();
    // A time above its range must not end the run.
    this.#histogram.autoResize = true;
  }

  add(ms: number): void {
    this.#histogram.recordValue(Math.max(0, Math.round(ms * US_A_MS)));
  }

  /** Undefined if there are none. */
  percentiles(): Percentiles | undefined {
    const { totalCount: count, maxValue } = this.#histogram;
    if (count === 0) return undefined;
    const at = (percentile: number): number => this.#histogram.getValueAtPercentile(percentile) / US_A_MS;
    return { count, p50: at(50), p90: at(90), p99: at(99), p999: at(99.9), max: maxValue / US_A_MS };
  }
}

/** How often each word was counted. */
export class Counts {
  readonly #counts = new Map<string, number>();

  add(word: string): void {
    this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1);
  }

  get total(): number {
    return this.#counts.values().reduce((sum, count) => sum + count, 0);
  }

  /** The most frequent first. */
  byWord(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counts].sort(([, a], [, b]) => b - a));
  }
}

/** All counts and measurements of a load run. */
export class Measures {
  /** Players that joined at least once. */
  joined = 0;
  sent = 0;
  /** Accepted, or refused for good. */
  finished = 0;
  accepted = 0;
  /** Guests that replaced one that had used up everything. */
  successors = 0;
  /** Connections that were lost and found again. */
  comebacks = 0;
  /** Commands by name. */
  readonly asked = new Counts();
  /** Refused by the rules or by the server, by code. */
  readonly refused = new Counts();
  /** No reply in time, or a reply with an unknown outcome: sent again with the same id. */
  readonly unanswered = new Counts();
  /** Joins and sign-ins that failed, by code. */
  readonly failedJoins = new Counts();
  /** From the planned time of a command, with the wait for a free player. */
  readonly commands: Times;
  /** From the sending of a command. */
  readonly answers: Times;
  /** From the due time of a thing, by the server's clock, until the client has the event. */
  readonly dueToClient: Times;
  readonly joins: Times;
  /** Round trips of time requests. */
  readonly timeTrips: Times;

  constructor(createHistogram: () => Histogram) {
    this.commands = new Times(createHistogram);
    this.answers = new Times(createHistogram);
    this.dueToClient = new Times(createHistogram);
    this.joins = new Times(createHistogram);
    this.timeTrips = new Times(createHistogram);
  }
}
