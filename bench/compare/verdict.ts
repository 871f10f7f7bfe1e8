import type { Samples } from '../harness/rounds.ts';
import type { Guarded } from '../harness/row.ts';
import { type Spread, spreadOf } from '../harness/spread.ts';
import { compared } from '../harness/tables.ts';

/** For a guarded figure. `new`: it was not recorded. `gone`: it was recorded and is no longer measured. */
type Verdict = 'same' | 'better' | 'worse' | 'new' | 'gone';

export interface Comparison {
  readonly guarded: Guarded;
  readonly recorded: Spread | undefined;
  readonly now: Spread | undefined;
  /** The factor by which both may differ and still count as the same. */
  readonly noise: number;
  readonly verdict: Verdict;
}

/** Rounds of another hour may differ even if all rounds of one hour agree. */
const LEAST_NOISE = 1.25;
/** For bytes and other counts, which other processes do not disturb: but a table may double at another moment. */
const LEAST_NOISE_OF_COUNTS = 1.1;

/**
 * The verdict on one guarded figure. Noise is how far the recorded rounds lie from their median, times how far the new
 * ones lie from theirs: a worse figure beyond that was never seen before.
 */
export const compare = (guarded: Guarded, recorded: Samples, measured: Samples): Comparison => {
  const [before, now] = [recorded, measured].map((samples) => spreadOfFinite(compared(guarded, samples)));
  const least = guarded.against === undefined ? LEAST_NOISE_OF_COUNTS : LEAST_NOISE;
  const noise = Math.max(least, reach(before) * reach(now));
  return { guarded, recorded: before, now, noise, verdict: verdictOf(guarded, noise, before, now) };
};

const verdictOf = (
  { better }: Guarded,
  noise: number,
  before: Spread | undefined,
  now: Spread | undefined,
): Verdict => {
  if (!before) return 'new';
  if (!now) return 'gone';
  const gain = better === 'more' ? now.median / before.median : before.median / now.median;
  if (gain > noise) return 'better';
  return gain < 1 / noise ? 'worse' : 'same';
};

const spreadOfFinite = (values: readonly number[]): Spread | undefined => {
  const finite = values.filter(Number.isFinite);
  return finite.length === 0 ? undefined : spreadOf(finite);
};

/** The distance of the farthest value from the median, as a factor. */
const reach = (spread: Spread | undefined): number =>
  spread === undefined ? 1 : Math.max(spread.max / spread.median, spread.median / spread.min);

/** Joins the rounds of two measurements of one row. */
export const joined = (first: Samples, second: Samples): Samples =>
  Object.fromEntries(
    [...new Set([...Object.keys(first), ...Object.keys(second)])].map((contender) => {
      const [one = {}, other = {}] = [first[contender], second[contender]];
      const figures = [...new Set([...Object.keys(one), ...Object.keys(other)])];
      return [
        contender,
        Object.fromEntries(figures.map((name) => [name, [...(one[name] ?? []), ...(other[name] ?? [])]])),
      ];
    }),
  );
