import type { Samples } from './rounds.ts';
import type { Target } from './row.ts';
import { type Spread, spreadOf } from './spread.ts';

export interface Verdict {
  readonly target: Target;
  /** Undefined: not measured. */
  readonly found: Spread | undefined;
  /** Of the median. */
  readonly isReached: boolean;
}

export const judge = (target: Target, samples: Samples): Verdict => {
  const values = target.against === undefined ? valuesOf(samples, target.of, target.figure) : ratios(target, samples);
  if (values.length === 0) return { target, found: undefined, isReached: false };
  const found = spreadOf(values);
  const { atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY } = target;
  return { target, found, isReached: found.median >= atLeast && found.median <= atMost };
};

const valuesOf = (samples: Samples, contender: string, figure: string): readonly number[] =>
  samples[contender]?.[figure] ?? [];

/** Round by round: only what was measured within the same minute is compared. */
const ratios = ({ of, against = '', figure }: Target, samples: Samples): readonly number[] => {
  const others = valuesOf(samples, against, figure);
  return valuesOf(samples, of, figure).map((value, round) => value / (others[round] ?? Number.NaN));
};
