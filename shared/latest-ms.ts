/** The clock's end: every due time lies before it, in the year 2109. Scores of the due index hold 42 bits of milliseconds. */
export const LATEST_MS = 2 ** 42;
