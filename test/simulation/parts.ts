const LARGEST = 5_000;

/** Many runs as parts of a few minutes at most, each a test of its own with a seed of its own: one that stands still is seen. */
export const parts = (runs: number): { part: number; runs: number }[] =>
  Array.from({ length: Math.ceil(runs / LARGEST) }, (_, at) => ({
    part: at + 1,
    runs: Math.min(LARGEST, runs - at * LARGEST),
  }));
