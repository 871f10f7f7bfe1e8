const BUCKET_MS = 100;
const REMEMBERED_MS = 10_000;
const SECOND_MS = 1000;

/** How many timers a lane finished recently. Times are of the monotonic clock. */
export class Throughput {
  #buckets: { readonly atMs: number; count: number }[] = [];
  #beganAtMs = Number.NEGATIVE_INFINITY;
  #finishedAtMs = Number.NEGATIVE_INFINITY;

  /** The lane was idle and now has work. */
  begin(nowMs: number): void {
    this.#beganAtMs = nowMs;
  }

  finish(count: number, nowMs: number): void {
    if (count === 0) return;
    this.#finishedAtMs = nowMs;
    const last = this.#buckets.at(-1);
    if (last && nowMs - last.atMs < BUCKET_MS) last.count += count;
    else this.#buckets = [...this.#since(nowMs - REMEMBERED_MS), { atMs: nowMs, count }];
  }

  finishedInLastSecond(nowMs: number): number {
    return sum(this.#since(nowMs - SECOND_MS));
  }

  /** How long the lane has had work. */
  busyMs(nowMs: number): number {
    return nowMs - this.#beganAtMs;
  }

  /** How long the lane has had work and finished none. */
  stalledMs(nowMs: number): number {
    return nowMs - Math.max(this.#beganAtMs, this.#finishedAtMs);
  }

  /** Estimates timers a second for the next seconds, as if `capacity` more were finished now. Above 0. */
  perSecond(capacity: number, nowMs: number): number {
    const windowMs = Math.min(REMEMBERED_MS, Math.max(SECOND_MS, this.busyMs(nowMs)));
    return (Math.max(1, sum(this.#since(nowMs - windowMs)) + capacity) * SECOND_MS) / windowMs;
  }

  #since(fromMs: number): { readonly atMs: number; count: number }[] {
    return this.#buckets.filter(({ atMs }) => atMs > fromMs);
  }
}

const sum = (buckets: readonly { readonly count: number }[]): number =>
  buckets.reduce((total, { count }) => total + count, 0);
