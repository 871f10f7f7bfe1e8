/** Stores check the database's clock with it. `ClockGuard` implements it. */
export interface TrustedTime {
  /** Call it before the database is asked for its time. The returned function makes of that time the one to use, whole ms. */
  reading(): (databaseMs: number) => number;
  /** The time for rows, instead of the database's clock; undefined while that clock is trusted. */
  readonly heldMs: number | undefined;
}

/** Trusts every clock. */
export const unguarded: TrustedTime = { reading: () => (databaseMs) => databaseMs, heldMs: undefined };
