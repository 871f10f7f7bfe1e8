/** What stores ask before they believe the database's clock. `ClockGuard` is one. */
export interface TrustedTime {
  /** Call it before the database is asked for its time, and what it returns with what it said: the time to work with, whole ms. */
  reading(): (databaseMs: number) => number;
  /** What rows are dated with instead of the database's clock; undefined while that is trusted. */
  readonly heldMs: number | undefined;
}

/** Believes every clock. */
export const unguarded: TrustedTime = { reading: () => (databaseMs) => databaseMs, heldMs: undefined };
