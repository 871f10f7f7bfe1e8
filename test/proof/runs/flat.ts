/** A figure over time: at each second since the start, a value. */
export interface Series {
  readonly name: string;
  readonly unit: string;
  readonly points: readonly (readonly [atS: number, value: number])[];
  /** How much it may drift from the beginning to the end: the larger of a share of its mean and of so much. */
  readonly mayDrift: { readonly share: number; readonly by: number };
  /** It falls and comes back, as memory does when it is collected: what counts is how high it comes. */
  readonly isByPeaks?: true;
}

export interface Drift {
  /** Of the points, or of their peaks. */
  readonly mean: number;
  /** By the straight line that fits those best, from the first to the last; what falls is negative. */
  readonly drift: number;
  readonly isFlat: boolean;
}

/** Whether a figure stays where it is. One that falls is no worse. */
export const driftOf = ({ points: all, mayDrift, isByPeaks }: Series): Drift => {
  const points = isByPeaks ? peaksOf(all) : all;
  const mean = meanOf(points.map(([, value]) => value));
  const middleS = meanOf(points.map(([atS]) => atS));
  const spread = points.reduce((sum, [atS]) => sum + (atS - middleS) ** 2, 0);
  const slope = points.reduce((sum, [atS, value]) => sum + (atS - middleS) * (value - mean), 0) / spread;
  const drift = slope * ((points.at(-1)?.[0] ?? 0) - (points[0]?.[0] ?? 0));
  return { mean, drift, isFlat: drift <= Math.max(mayDrift.share * mean, mayDrift.by) };
};

const PARTS = 10;

/** The highest point of each tenth. */
const peaksOf = (points: Series['points']): Series['points'] => {
  const [fromS, untilS] = [points[0]?.[0] ?? 0, points.at(-1)?.[0] ?? 0];
  const parts = Map.groupBy(points, ([atS]) =>
    Math.min(PARTS - 1, Math.floor(((atS - fromS) / (untilS - fromS)) * PARTS)),
  );
  return [...parts.values()].flatMap((part) => part.toSorted(([, one], [, other]) => other - one).slice(0, 1));
};

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
