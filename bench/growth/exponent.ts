/** One size, and what one call took then. */
export type Point = readonly [size: number, took: number];

/**
 * How what a call takes grows with the size: the slope of log(took) over log(size), by least squares. 0: not at all; 0.1: a
 * quarter more at ten times the size; 1: as the size does.
 */
export const growthExponent = (points: readonly Point[]): number => {
  const logs = points.map(([size, took]) => [Math.log(size), Math.log(took)] as const);
  const mean = (at: 0 | 1): number => logs.reduce((sum, log) => sum + log[at], 0) / logs.length;
  const [meanSize, meanTook] = [mean(0), mean(1)];
  const shared = logs.reduce((sum, [size, took]) => sum + (size - meanSize) * (took - meanTook), 0);
  return shared / logs.reduce((sum, [size]) => sum + (size - meanSize) ** 2, 0);
};
