/** The clock's end, in 2109: every due time lies before it. Scores of the due index have 42 bits of milliseconds. */
export const LATEST_MS = 2 ** 42;

/** Too late for any timer. */
export const isBeyondTheClock = (dueAt: number): boolean => dueAt >= LATEST_MS;
