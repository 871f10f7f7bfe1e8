/** The oldest transaction that is still open: all before it have ended, and what they wrote is seen. */
export const OLDEST_OPEN = 'pg_snapshot_xmin(pg_current_snapshot())::text::bigint';

/** The next number that will be given. */
export const NEXT_TO_OPEN = 'pg_snapshot_xmax(pg_current_snapshot())::text::bigint';
