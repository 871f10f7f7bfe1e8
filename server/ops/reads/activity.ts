import type { OpsDifferences, OpsOverview } from '../../../shared/ops/ops-answers.ts';

const BUCKET_MS = 10_000;
/** One hour. */
const BUCKETS = 360;
const RATE_SECONDS = 10;
const SECOND_MS = 1000;
/** Each step of the scale is a twentieth wider than the one before. */
const STEP = 1.05;
const STEPS = 400;

interface Bucket {
  readonly number: number;
  fired: number;
  readonly steps: Uint32Array;
  /** Differences of the index, by the label of their metric. */
  readonly healed: Map<string, number>;
}

/** Recent activity of this process: commands a second, how late timers fired, and what was healed. Of bounded size. */
export class Activity {
  readonly #nowMs: () => number;
  #buckets: Bucket[] = [];
  /** Commands of the last hour, by bucket. */
  readonly #commanded = new Map<number, number>();
  readonly #begunAt: number;
  readonly #commands = new Map<number, number>();

  /** Uses the clock of this machine, but only to name the buckets. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#begunAt = Math.floor(nowMs() / BUCKET_MS);
  }

  commanded(count: number): void {
    const second = Math.floor(this.#nowMs() / SECOND_MS);
    this.#commands.set(second, (this.#commands.get(second) ?? 0) + count);
    for (const old of this.#commands.keys()) if (old < second - RATE_SECONDS) this.#commands.delete(old);
    const bucket = Math.floor(this.#nowMs() / BUCKET_MS);
    this.#commanded.set(bucket, (this.#commanded.get(bucket) ?? 0) + count);
    for (const old of this.#commanded.keys()) if (old < bucket - BUCKETS) this.#commanded.delete(old);
  }

  /** Count in ten seconds what the metrics of these names count without a time. */
  readonly listeners = {
    kibble_timer_lateness_seconds: (_labels: object, seconds = 0): void => {
      const bucket = this.#bucket();
      const at = Math.min(STEPS - 1, stepOf(seconds * SECOND_MS));
      bucket.steps[at] = (bucket.steps[at] ?? 0) + 1;
      bucket.fired += 1;
    },
    kibble_index_differences_healed_total: ({ difference = '' }: Record<string, string>, count = 0): void => {
      if (count === 0) return;
      const { healed } = this.#bucket();
      healed.set(difference, (healed.get(difference) ?? 0) + count);
    },
  };

  /** Counts only completed seconds. */
  commandsPerSecond(): number {
    const second = Math.floor(this.#nowMs() / SECOND_MS);
    let count = 0;
    for (let at = second - RATE_SECONDS; at < second; at += 1) count += this.#commands.get(at) ?? 0;
    return count / RATE_SECONDS;
  }

  /** The commands of the last hour, or since the start: whole buckets, oldest first. */
  commands(): OpsOverview['process']['commands'] {
    const now = Math.floor(this.#nowMs() / BUCKET_MS);
    const from = Math.max(this.#begunAt, now - BUCKETS);
    const perSecond = Array.from(
      { length: now - from },
      (_, at) => ((this.#commanded.get(from + at) ?? 0) * SECOND_MS) / BUCKET_MS,
    );
    return { fromMs: from * BUCKET_MS, everyMs: BUCKET_MS, perSecond };
  }

  lateness(): OpsOverview['process']['lateness'] {
    return this.#recent()
      .filter(({ fired }) => fired > 0)
      .map((bucket) => ({
        fromMs: bucket.number * BUCKET_MS,
        fired: bucket.fired,
        p50Ms: percentile(bucket, 0.5),
        p99Ms: percentile(bucket, 0.99),
      }));
  }

  /** The index's differences in the last hour. */
  differences(): OpsDifferences {
    const sumOf = (difference: string): number =>
      this.#recent().reduce((sum, { healed }) => sum + (healed.get(difference) ?? 0), 0);
    return { missing: sumOf('missing'), misplaced: sumOf('misplaced'), ghosts: sumOf('ghost') };
  }

  #recent(): readonly Bucket[] {
    const oldest = Math.floor(this.#nowMs() / BUCKET_MS) - BUCKETS;
    return this.#buckets.filter(({ number }) => number > oldest);
  }

  #bucket(): Bucket {
    const number = Math.floor(this.#nowMs() / BUCKET_MS);
    const last = this.#buckets.at(-1);
    if (last && last.number >= number) return last;
    const bucket = { number, fired: 0, steps: new Uint32Array(STEPS), healed: new Map() };
    this.#buckets = [...this.#buckets, bucket].slice(-BUCKETS);
    return bucket;
  }
}

const stepOf = (ms: number): number => Math.ceil(Math.log(Math.max(0, ms) + 1) / Math.log(STEP));

/** The upper end of the percentile's step. */
const percentile = ({ fired, steps }: Bucket, share: number): number => {
  let left = Math.ceil(fired * share);
  for (const [at, count] of steps.entries()) {
    left -= count;
    if (left <= 0) return Math.round(STEP ** at - 1);
  }
  return 0;
};
