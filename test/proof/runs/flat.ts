/** A figure over time: at each second since the start, a value. */
export interface Series {
  readonly name: string;
  readonly unit: string;
  readonly points: readonly (readonly [atS: number, value: number])[];
  /** How much it may drift from the beginning to the end: the larger of a share of its mean and of so much. */
  readonly mayDrift: { readonly share: number; readonly by: number };
}

export interface Drift {
  readonly mean: number;
  /** By the straight line that fits best, from the first point to the last; what falls is negative. */
  readonly drift: number;
  readonly isFlat: boolean;
}

/** Whether a figure stays where it is. One that falls is no worse. */
export const driftOf = ({ points, mayDrift }: Series): Drift => {
  const mean = meanOf(points.map(([, value]) => value));
  const middleS = meanOf(points.map(([atS]) => atS));
  const spread = points.reduce((sum, [atS]) => sum + (atS - middleS) ** 2, 0);
  const slope = points.reduce((sum, [atS, value]) => sum + (atS - middleS) * (value - mean), 0) / spread;
  const drift = slope * ((points.at(-1)?.[0] ?? 0) - (points[0]?.[0] ?? 0));
  return { mean, drift, isFlat: drift <= Math.max(mayDrift.share * mean, mayDrift.by) };
};

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
