import type { Samples } from '../harness/rounds.ts';
import type { Guarded } from '../harness/row.ts';
import { type Spread, spreadOf } from '../harness/spread.ts';
import { compared } from '../harness/tables.ts';

/** Of a guarded figure: `new` was not recorded, `gone` was recorded and is not measured any more. */
type Verdict = 'same' | 'better' | 'worse' | 'new' | 'gone';

export interface Comparison {
  readonly guarded: Guarded;
  readonly recorded: Spread | undefined;
  readonly now: Spread | undefined;
  /** By which factor the two may differ and still say the same. */
  readonly noise: number;
  readonly verdict: Verdict;
}

/** Even where all rounds of one hour agree, those of another hour may not. */
const LEAST_NOISE = 1.25;
/** Of bytes and other counts, which no other process disturbs: a table that doubles at another moment does. */
const LEAST_NOISE_OF_COUNTS = 1.1;

/**
 * What became of one guarded figure. Noise is how far the recorded rounds lie from their median, times how far the new
 * ones lie from theirs: what is worse by more is outside of all that was ever seen.
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

/** How far the farthest value lies from the median, as a factor. */
const reach = (spread: Spread | undefined): number =>
  spread === undefined ? 1 : Math.max(spread.max / spread.median, spread.median / spread.min);

/** Rounds of two measurements of one row as those of one. */
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
