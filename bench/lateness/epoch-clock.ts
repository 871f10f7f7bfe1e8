const TRIES = 8;

/**
 * Epoch milliseconds with fractions, on the clock that Postgres and Redis read. Node's own `performance.timeOrigin`
 * stays where it was when the clock is adjusted, so each measurement makes its own.
 */
export const epochClock = (): (() => number) => {
  // Whoever is interrupted between the two readings sees the edge too late and would call everything early: the
  // greatest offset is that of the quickest look.
  const offsetMs = Math.max(...Array.from({ length: TRIES }, offsetAtNextEdge));
  return () => performance.now() + offsetMs;
};

const offsetAtNextEdge = (): number => {
  const beforeMs = Date.now();
  let edgeMs = Date.now();
  while (edgeMs === beforeMs) edgeMs = Date.now();
  return edgeMs - performance.now();
};
