const BUCKET_MS = 100;
const REMEMBERED_MS = 10_000;
const SECOND_MS = 1000;

/** How many timers a lane finished lately. Instants are of the monotonic clock. */
export class Throughput {
  #buckets: { readonly atMs: number; count: number }[] = [];
  #beganAtMs = Number.NEGATIVE_INFINITY;
  #finishedAtMs = Number.NEGATIVE_INFINITY;

  /** The lane had nothing to do, and has now. */
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

  /** How long it has had something to do. */
  busyMs(nowMs: number): number {
    return nowMs - this.#beganAtMs;
  }

  /** How long it has had something to do and finished nothing. */
  stalledMs(nowMs: number): number {
    return nowMs - Math.max(this.#beganAtMs, this.#finishedAtMs);
  }

  /** Timers a second, as if it finished its `capacity` now: an estimate of what the next seconds bring. Above 0. */
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
