import type { Samples } from '../rounds.ts';
import type { Target } from '../row.ts';
import { type Spread, spreadOf } from '../spread.ts';

export interface Verdict {
  readonly target: Target;
  /** Undefined: not measured. */
  readonly found: Spread | undefined;
  /** Of the median, or of each round. */
  readonly isReached: boolean;
}

export const judge = (target: Target, samples: Samples): Verdict => {
  const values = compared(target, samples);
  if (values.length === 0) return { target, found: undefined, isReached: false };
  const found = spreadOf(values);
  const { atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY, isInEachRound = false } = target;
  const [least, most] = isInEachRound ? [found.min, found.max] : [found.median, found.median];
  return { target, found, isReached: least >= atLeast && most <= atMost };
};

/** A figure of each round; with `against` its ratio to the same figure of another contender in the same round. */
export const compared = (
  { of, figure, against }: Pick<Target, 'of' | 'figure' | 'against'>,
  samples: Samples,
): readonly number[] => {
  const own = valuesOf(samples, of, figure);
  if (against === undefined) return own;
  const others = valuesOf(samples, against, figure);
  // Only what was measured within the same minute is compared.
  return own.map((value, round) => value / (others[round] ?? Number.NaN));
};

const valuesOf = (samples: Samples, contender: string, figure: string): readonly number[] =>
  samples[contender]?.[figure] ?? [];
