/** The two tables of timers, and the columns of a `TimerRow` in each of its places. `schema` is a checked identifier. */
export const timerTables = (schema: string) => ({
  timer: `"${schema}".timer`,
  due: `"${schema}".timer_due`,
  /** Scheduled timers, as `SCHEDULED` reads them. */
  scheduled: `"${schema}".timer t join "${schema}".timer_due d on d.id = t.id`,
});

/** What of a timer never moves. */
const KEPT = ['id', 'kind', 'subject', 'owner', 'state', 'result', 'recurrence', 'misfire', 'created_at'];
const MOVING = ['due_at', 'fire_at', 'revision', 'attempt', 'turn', 'last_error', 'updated_at', 'lateness'];
const of = (table: string, columns: readonly string[]): string =>
  columns.map((column) => `${table}.${column}`).join(', ');

/**
 * Of a scheduled timer: `t` is its row of `timer`, `d` the one of `timer_due`. While it is scheduled the former does not
 * change, so that a statement that has waited for the lock of the latter may read it as it was when the statement began.
 */
export const SCHEDULED = `${of('t', KEPT)}, ${of('d', MOVING)}, coalesce(d.payload, t.payload) as payload, d.claims, d.claimed_at`;

/** Of any other: all is in `timer`. */
export const OVER = `${of('t', KEPT)}, ${of('t', MOVING)}, t.payload, 0::smallint as claims, null::bigint as claimed_at`;

/** Of either, where `d` is joined from the left. */
export const ANY = [
  of('t', KEPT),
  ...MOVING.map((column) => `coalesce(d.${column}, t.${column}) as ${column}`),
  'coalesce(d.payload, t.payload) as payload',
  'coalesce(d.claims, 0::smallint) as claims',
  'd.claimed_at',
].join(', ');
