/** The tables that have timers, and the columns of a `TimerRow` in each of its places. `schema` is a checked identifier. */
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

/** Whether the kind of a row of `timer` keeps no rows that are over. Where no kind is so, no row is looked at for it. */
export const keptOf = (schema: string) => {
  const forgetful = `from "${schema}".timer_kind where retention_ms = 0`;
  const none = `array(select kind ${forgetful})`;
  return {
    forgotten: `(select exists (select ${forgetful})) and t.kind = any(${none})`,
    kept: `t.kind <> all(${none})`,
  };
};

/** Of a thing that is due, `h`, whose kind is `k` and whose home's hold, if it has one, is `s`. `fireAt` is when it is tried next. */
export const thingColumns = (fireAt: string): string => `h.id, k.kind, h.player_id || '~' || h.thing_id as subject,
  h.player_id as owner, 'scheduled'::text as state, null::jsonb as result, h.due_since as created_at,
  null::jsonb as recurrence, null::jsonb as misfire, h.due_at, ${fireAt} as fire_at, h.revision,
  coalesce(s.attempt, 0)::smallint as attempt, 1 as turn, s.last_error, greatest(h.due_since, s.updated_at) as updated_at,
  null::jsonb as lateness, null::jsonb as payload, null::boolean as payload_is_null, 0::smallint as claims,
  null::bigint as claimed_at`;

/** With the time of the next try. */
export const THING = thingColumns('greatest(h.due_at, s.until_at)');

/** Timers of things are found through these. A hold is of what was due when it began: the rest fires in time. */
export const thingTables = (schema: string) => {
  const kinds = `"${schema}".timer_kind`;
  const ofModules = (condition: string): string => `array(select module from ${kinds} where ${condition})`;
  const kind = `join ${kinds} k on k.module = h.module and not k.is_retired`;
  return {
    thing: `"${schema}".thing`,
    hold: `"${schema}".home_hold`,
    /** Joins of a thing `h` that has a timer: its module is in use. */
    kind,
    held: `left join "${schema}".home_hold s on s.player_id = h.player_id and h.due_at <= s.updated_at`,
    /** The same for a page of things: one look each, however many homes are on hold. */
    heldEach: `left join lateral (
      select * from "${schema}".home_hold x where x.player_id = h.player_id and h.due_at <= x.updated_at offset 0) s on true`,
    /** From homes on hold to their things that are stuck, with their kinds. */
    stuck: `"${schema}".home_hold s join "${schema}".thing h on h.player_id = s.player_id and h.due_at <= s.updated_at
  ${kind} where s.attempt > 0`,
    inUse: ofModules('module is not null and not is_retired'),
    retired: ofModules('is_retired'),
    /** A subquery, which is asked once: without a retired module nothing else of the condition is. */
    anyRetired: `(select exists (select from ${kinds} where is_retired))`,
    ofModules,
    /**
     * Things `h` of owners that have a timer; `owners` selects them. The offsets keep the planner to an owner's things, which on
     * a young database it would look for through all that is due, and from looking for the kind of each by itself.
     */
    ofOwners: (owners: string): string => `(
  select x.* from (select distinct u.owner from (${owners}) as u(owner)) o
  cross join lateral (
    select * from "${schema}".thing x where x.player_id = o.owner and x.due_at is not null offset 0) x
  offset 0) h`,
  };
};

/**
 * How things' timers stand at the time `now`. Their modules are asked for only where some are retired: so the index alone is
 * read, however many there are.
 */
export const dueThings = (schema: string, now: string) => {
  const { thing, held, inUse, retired, anyRetired } = thingTables(schema);
  const ofRetired = `${anyRetired} and due_at is not null and module = any(${retired})`;
  const counted = (where: string): string => `(select count(*) from ${thing} where ${where})`;
  return {
    /** For a `where`. */
    ofRetired,
    pending: `(${counted('due_at is not null')} - ${counted(ofRetired)})`,
    /** Of those that are past their time, and whose home is not on hold: `count`, and `first_at`. `limit`: how far it counts. */
    late: (limit: string): string => `select count(*), min(o.fire_at) as first_at from (
      select greatest(h.due_at, s.until_at) as fire_at from ${thing} h ${held}
      where h.due_at <= ${now} and h.module = any(${inUse}) and coalesce(s.until_at <= ${now}, true)
      order by h.due_at, h.id ${limit}) o`,
  };
};
