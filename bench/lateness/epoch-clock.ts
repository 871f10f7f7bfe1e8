/**
 * Epoch milliseconds with fractions, on the clock that Postgres and Redis read. Node's own `performance.timeOrigin`
 * stays where it was when the clock is adjusted, so each measurement makes its own.
 */
export const epochClock = (): (() => number) => {
  const beforeMs = Date.now();
  let edgeMs = Date.now();
  while (edgeMs === beforeMs) edgeMs = Date.now();
  const offsetMs = edgeMs - performance.now();
  return () => performance.now() + offsetMs;
};
