/** The two tables of timers, and the columns of a `TimerRow` in each of its places. `schema` is a checked identifier. */
export const timerTables = (schema: string) => ({
  timer: `"${schema}".timer`,
  due: `"${schema}".timer_due`,
  /** Scheduled timers, as `SCHEDULED` reads them. */
  scheduled: `"${schema}".timer t join "${schema}".timer_due d on d.id = t.id`,
});

/** What of a timer never moves, but for recurrence and misfire, which are on the row of `timer` all the same. */
const KEPT = ['id', 'kind', 'subject', 'owner', 'state', 'result', 'created_at'];
const MOVING = ['due_at', 'fire_at', 'revision', 'attempt', 'turn', 'last_error', 'updated_at', 'lateness'];
const of = (table: string, columns: readonly string[]): string =>
  columns.map((column) => `${table}.${column}`).join(', ');

/** JSON's null is a payload, and comes from `pg` as SQL's does. */
const payloadOf = (payload: string): string => `${payload} as payload, ${payload} = 'null' as payload_is_null`;
const EITHER_PAYLOAD = 'coalesce(d.payload, t.payload)';
const MOVING_PAYLOAD = `${payloadOf(EITHER_PAYLOAD)}, d.claims, d.claimed_at`;

/**
 * Of a scheduled timer: `t` is its row of `timer`, `d` the one of `timer_due`. A statement that has waited for the lock
 * of the latter reads the former as it was when it began: but for a new recurrence or policy, which it may show late.
 */
export const SCHEDULED = `${of('t', [...KEPT, 'recurrence', 'misfire'])}, ${of('d', MOVING)}, ${MOVING_PAYLOAD}`;

const CARRIED_ALONG = [...KEPT, 'recurrence', 'misfire', 'payload'];

/** What a statement carries along from the lock: a row of `timer` is read once. Column by column: a whole row costs more. */
export const KEPT_HERE = CARRIED_ALONG.map((column) => `t.${column} as t_${column}`).join(', ');

/** Of a moved row, where `w` carries `KEPT_HERE`. */
export const CARRIED = `${[...KEPT, 'recurrence', 'misfire'].map((column) => `w.t_${column} as ${column}`).join(', ')},
  ${of('d', MOVING)}, ${payloadOf('coalesce(d.payload, w.t_payload)')}, d.claims, d.claimed_at`;

const RESULT = [...MOVING, 'payload', 'payload_is_null', 'claims', 'claimed_at'];

/** Those rows, `m`, where `r` is the row of `timer` if the statement has renewed it. */
export const RENEWED = `${of('m', KEPT)}, coalesce(r.recurrence, m.recurrence) as recurrence,
  coalesce(r.misfire, m.misfire) as misfire, ${of('m', RESULT)}`;

/** Of any other: all is in `timer`. */
export const OVER = `${of('t', [...KEPT, 'recurrence', 'misfire', ...MOVING])}, ${payloadOf('t.payload')}, 0::smallint as claims, null::bigint as claimed_at`;

/** Of either, where `d` is joined from the left. */
export const ANY = [
  of('t', [...KEPT, 'recurrence', 'misfire']),
  ...MOVING.map((column) => `coalesce(d.${column}, t.${column}) as ${column}`),
  payloadOf(EITHER_PAYLOAD),
  'coalesce(d.claims, 0::smallint) as claims',
  'd.claimed_at',
].join(', ');

/** Whether the kind of a row of `timer` keeps no rows that are over. */
export const keptOf = (schema: string) => {
  const none = `array(select kind from "${schema}".timer_kind where retention_ms = 0)`;
  return { forgotten: `t.kind = any(${none})`, kept: `t.kind <> all(${none})` };
};

const CLOCK_MS = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint';

/** Sent along with the begin of a transaction: the time, without a round trip of its own. */
export const TELL_TIME = `select ${CLOCK_MS} as now_ms`;

/** The time of Postgres, floored to milliseconds, or the test's own. */
export const nowMs = (parameter: number): string => `coalesce($${parameter}::bigint, ${CLOCK_MS})`;
