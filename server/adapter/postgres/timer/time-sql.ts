const CLOCK_MS = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint';

/** Sent along with the begin of a transaction: the time, without a round trip of its own. */
export const TELL_TIME = `select ${CLOCK_MS} as now_ms`;

/** The time of Postgres, floored to milliseconds, or the test's own. */
export const nowMs = (parameter: number): string => `coalesce($${parameter}::bigint, ${CLOCK_MS})`;
