/** Eats at `rate` before `untilMs` and at 1 from then on. */
export interface Speed {
  readonly rate: number;
  readonly untilMs: number;
}

/** What is left of `leftMs` of work between two instants: millisecond by millisecond, with no formula to be wrong. */
export const leftAfter = (leftMs: number, fromMs: number, toMs: number, speed: Speed): number => {
  let left = leftMs;
  for (let now = fromMs; now < toMs && left > 0; now += 1) left -= now < speed.untilMs ? speed.rate : 1;
  return Math.max(0, left);
};

/** The first whole millisecond at which nothing is left. */
export const emptyAt = (leftMs: number, fromMs: number, speed: Speed): number => {
  let now = fromMs;
  for (let left = leftMs; left > 0; now += 1) left -= now < speed.untilMs ? speed.rate : 1;
  return now;
};
