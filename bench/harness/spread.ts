/** The value below which the share `q` of the values lies, interpolated; NaN without values. */
export const quantile = (values: readonly number[], q: number): number => {
  const sorted = Float64Array.from(values).sort();
  const at = (sorted.length - 1) * q;
  const below = sorted[Math.floor(at)] ?? Number.NaN;
  const above = sorted[Math.ceil(at)] ?? Number.NaN;
  return below + (above - below) * (at - Math.floor(at));
};

const SHARES = { p50: 0.5, p95: 0.95, p99: 0.99, max: 1 };

/** Some of them, by name. */
export const quantiles = <Name extends keyof typeof SHARES>(values: readonly number[], ...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, quantile(values, SHARES[name])])) as Record<Name, number>;

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export const spreadOf = (values: readonly number[]): Spread => ({
  median: quantile(values, 0.5),
  min: quantile(values, 0),
  max: quantile(values, 1),
});
