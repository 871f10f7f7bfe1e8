/**
 * Timed work: anything that takes time and can be hurried. A building under construction is work, and so is a journey.
 *
 * Work is measured in milliseconds at rate 1. A boost multiplies the rate until an instant. All numbers and rates are
 * whole, so work done is exact; only the due time is rounded, up.
 */
export interface Work {
  /** Work left as of `sinceAtMs`, in milliseconds at rate 1. */
  readonly leftMs: number;
  readonly sinceAtMs: number;
}

/** A higher rate that has already begun and lasts until `endsAtMs`, exclusive. */
export interface Boost {
  /** A whole number, 2 or more. */
  readonly rate: number;
  readonly endsAtMs: number;
}

/** The work done from `work.sinceAtMs` to `nowMs`: at most all of it, never negative. */
export const workDone = (work: Work, boost: Boost | undefined, nowMs: number): number => {
  const elapsedMs = Math.max(0, nowMs - work.sinceAtMs);
  const boostedMs = boost ? Math.min(elapsedMs, Math.max(0, boost.endsAtMs - work.sinceAtMs)) : 0;
  return Math.min(work.leftMs, boostedMs * ((boost?.rate ?? 1) - 1) + elapsedMs);
};

/** The first whole instant at which all of the work is done. */
export const dueAtMs = (work: Work, boost: Boost | undefined): number => {
  const boostedMs = boost ? Math.max(0, boost.endsAtMs - work.sinceAtMs) : 0;
  const rate = boost?.rate ?? 1;
  return work.leftMs <= boostedMs * rate
    ? work.sinceAtMs + Math.ceil(work.leftMs / rate)
    : work.sinceAtMs + work.leftMs - boostedMs * (rate - 1);
};

/** The work done from `fromMs` to `atMs`: work of this size left at `fromMs` is due exactly at `atMs`. */
export const workUntil = (fromMs: number, boost: Boost | undefined, atMs: number): number =>
  workDone({ leftMs: Number.POSITIVE_INFINITY, sinceAtMs: fromMs }, boost, atMs);

/** The same work as of `nowMs`, so that a change of rate never rewrites the past. Its due time stays. */
export const restate = (work: Work, boost: Boost | undefined, nowMs: number): Work => ({
  leftMs: work.leftMs - workDone(work, boost, nowMs),
  sinceAtMs: nowMs,
});

/** Removes up to `byMs` of the remaining work; the excess is wasted. Restate the work first. */
export const cut = (work: Work, byMs: number): { readonly work: Work; readonly wastedMs: number } => {
  const takenMs = Math.min(work.leftMs, byMs);
  return { work: { ...work, leftMs: work.leftMs - takenMs }, wastedMs: byMs - takenMs };
};

/** Whether another boost of this rate can be added at `nowMs`: only one rate runs at a time. */
export const canBoost = (running: Boost | undefined, rate: number, nowMs: number): boolean =>
  !isRunning(running, nowMs) || running?.rate === rate;

/** Begins a boost at `nowMs`, or extends the running one of the same rate. Restate the work first. */
export const boosted = (running: Boost | undefined, rate: number, lastsMs: number, nowMs: number): Boost => ({
  rate,
  endsAtMs: (running && isRunning(running, nowMs) ? running.endsAtMs : nowMs) + lastsMs,
});

export const isRunning = (boost: Boost | undefined, nowMs: number): boolean =>
  boost !== undefined && boost.endsAtMs > nowMs;
