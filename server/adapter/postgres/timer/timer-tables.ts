/** The tables with timers, and the columns of a `TimerRow` in each table. `schema` is a checked identifier. */
export const timerTables = (schema: string) => ({
  timer: `"${schema}".timer`,
  due: `"${schema}".timer_due`,
  /** Scheduled timers, as `SCHEDULED` reads them. */
  scheduled: `"${schema}".timer t join "${schema}".timer_due d on d.id = t.id`,
});

/** The row `x` of an id is dead. By the bare column the planner may walk the index of ended keys, on a young database. */
export const IS_DEAD = `x.state || '' = 'dead'`;

/**
 * Look-ups of rows by what `w` has, one for each `w`, in its order. Without the `offset` the planner would walk a whole table
 * as long as it knows no sizes: on a young database, and by prepared plans from that time.
 */
export const lookUps = (schema: string, wait: '' | ' nowait' = '') => {
  const { timer, due } = timerTables(schema);
  return {
    /** The id of the scheduled timer `t` of a kind and a subject. */
    idOfKey: `cross join lateral (
  select x.id from ${timer} x where x.kind = w.kind and x.subject = w.subject and x.state = 'scheduled' offset 0) t`,
    /** The last one that completed or died. */
    lastOfKey: `cross join lateral (
  select x.id from ${timer} x where x.kind = w.kind and x.subject = w.subject and x.state in ('completed', 'dead')
  order by x.kind desc, x.subject desc, x.id desc limit 1) t`,
    /** The locked row `d`, and the row `t`, of an id. */
    lockedById: `cross join lateral (select * from ${due} x where x.id = w.id for update${wait}) d
  cross join lateral (select * from ${timer} x where x.id = w.id offset 0) t`,
    /** The row `d` of the timer `t`, if it is scheduled. */
    dueOf: `left join lateral (select * from ${due} x where x.id = t.id offset 0) d on true`,
  };
};

/** The fields of a timer that never change. Recurrence and misfire may change, but are in `timer` all the same. */
const KEPT = ['id', 'kind', 'subject', 'owner', 'state', 'result', 'created_at'];
const MOVING = ['due_at', 'fire_at', 'revision', 'attempt', 'turn', 'last_error', 'updated_at', 'lateness'];
const of = (table: string, columns: readonly string[]): string =>
  columns.map((column) => `${table}.${column}`).join(', ');

/** JSON's null is a payload, and `pg` returns it like SQL's null. */
const payloadOf = (payload: string): string => `${payload} as payload, ${payload} = 'null' as payload_is_null`;
const EITHER_PAYLOAD = 'coalesce(d.payload, t.payload)';
const MOVING_PAYLOAD = `${payloadOf(EITHER_PAYLOAD)}, d.claims, d.claimed_at`;

/**
 * A scheduled timer: `t` is its row of `timer`, `d` that of `timer_due`. A statement that waited for the lock of `d`
 * reads `t` as it was at its begin. So it may miss only a new recurrence or policy.
 */
export const SCHEDULED = `${of('t', [...KEPT, 'recurrence', 'misfire'])}, ${of('d', MOVING)}, ${MOVING_PAYLOAD}`;

const CARRIED_ALONG = [...KEPT, 'recurrence', 'misfire', 'payload'];

/** Columns that a statement carries along from the lock, so that a row of `timer` is read once. A whole row costs more. */
export const KEPT_HERE = CARRIED_ALONG.map((column) => `t.${column} as t_${column}`).join(', ');

/** A moved row, where `w` has `KEPT_HERE`. */
export const CARRIED = `${[...KEPT, 'recurrence', 'misfire'].map((column) => `w.t_${column} as ${column}`).join(', ')},
  ${of('d', MOVING)}, ${payloadOf('coalesce(d.payload, w.t_payload)')}, d.claims, d.claimed_at`;

const RESULT = [...MOVING, 'payload', 'payload_is_null', 'claims', 'claimed_at'];

/** Those rows, `m`, where `r` is the row of `timer` if the statement has renewed it. */
export const RENEWED = `${of('m', KEPT)}, case when r.id is null then m.recurrence else r.recurrence end as recurrence,
  coalesce(r.misfire, m.misfire) as misfire, ${of('m', RESULT)}`;

/** Any other timer: all columns are in `timer`. */
export const OVER = `${of('t', [...KEPT, 'recurrence', 'misfire', ...MOVING])}, ${payloadOf('t.payload')}, 0::smallint as claims, null::bigint as claimed_at`;

/** Either, where `d` is joined from the left. */
export const ANY = [
  of('t', [...KEPT, 'recurrence', 'misfire']),
  ...MOVING.map((column) => `coalesce(d.${column}, t.${column}) as ${column}`),
  payloadOf(EITHER_PAYLOAD),
  'coalesce(d.claims, 0::smallint) as claims',
  'd.claimed_at',
].join(', ');

/** Whether the kind of a row retains no finished rows. If no kind is so, no row is read for it. */
export const keptOf = (schema: string) => {
  const forgetful = `from "${schema}".timer_kind where retention_ms = 0`;
  const none = `array(select kind ${forgetful})`;
  return {
    forgotten: `(select exists (select ${forgetful})) and t.kind = any(${none})`,
    kept: `t.kind <> all(${none})`,
  };
};

/** A due thing `h` with its kind `k` and its home's hold `s`, if any. `fireAt`: the time of the next try. */
export const thingColumns = (fireAt: string): string => `h.id, k.kind, h.player_id || '~' || h.thing_id as subject,
  h.player_id as owner, 'scheduled'::text as state, null::jsonb as result, h.due_since as created_at,
  null::jsonb as recurrence, null::jsonb as misfire, h.due_at, ${fireAt} as fire_at, h.revision,
  coalesce(s.attempt, 0)::smallint as attempt, 1 as turn, s.last_error, greatest(h.due_since, s.updated_at) as updated_at,
  null::jsonb as lateness, null::jsonb as payload, null::boolean as payload_is_null, 0::smallint as claims,
  null::bigint as claimed_at`;

/** With the time of the next try. */
export const THING = thingColumns('greatest(h.due_at, s.until_at)');

/** Finds timers of things. A hold covers only things that were due when it began: the others fire in time. */
export const thingTables = (schema: string) => {
  const kinds = `"${schema}".timer_kind`;
  const ofModules = (condition: string): string => `array(select module from ${kinds} where ${condition})`;
  const anyModule = (condition: string): string =>
    `(select exists (select from ${kinds} where module is not null and ${condition}))`;
  const kind = `join ${kinds} k on k.module = h.module and not k.is_retired`;
  return {
    thing: `"${schema}".thing`,
    hold: `"${schema}".home_hold`,
    /** Joins a thing `h` with a timer to its kind, if its module is in use. */
    kind,
    held: `left join "${schema}".home_hold s on s.player_id = h.player_id and h.due_at <= s.updated_at`,
    /** The same for a page of things: one look-up each, however many homes are on hold. */
    heldEach: `left join lateral (
      select * from "${schema}".home_hold x where x.player_id = h.player_id and h.due_at <= x.updated_at offset 0) s on true`,
    /** From homes on hold to their stuck things, with their kinds. */
    stuck: `"${schema}".home_hold s join "${schema}".thing h on h.player_id = s.player_id and h.due_at <= s.updated_at
  ${kind} where s.attempt > 0`,
    inUse: ofModules('module is not null and not is_retired'),
    retired: ofModules('is_retired'),
    /** A subquery, which runs once: if no module is so, the rest of the condition is skipped. */
    anyModule,
    anyRetired: anyModule('is_retired'),
    ofModules,
    /**
     * Things `h` of owners that have a timer; `owners` selects the owners. The offsets make the planner start from an
     * owner's things: on a young database it would search all due things, or look up the kind of each.
     */
    ofOwners: (owners: string): string => `(
  select x.* from (select distinct u.owner from (${owners}) as u(owner)) o
  cross join lateral (
    select * from "${schema}".thing x where x.player_id = o.owner and x.due_at is not null offset 0) x
  offset 0) h`,
  };
};

/**
 * Counts of things' timers at the time `now`. Modules are checked only if some are retired: otherwise the index alone
 * is read, however many rows there are.
 */
export const dueThings = (schema: string, now: string) => {
  const { thing, held, inUse, retired, anyRetired } = thingTables(schema);
  const ofRetired = `${anyRetired} and due_at is not null and module = any(${retired})`;
  const counted = (where: string): string => `(select count(*) from ${thing} where ${where})`;
  return {
    /** The rows with a timer that are due `when`. One of the two selects runs. */
    rows: (when: string): string => `select from ${thing} where not ${anyRetired} and ${when}
      union all select from ${thing} where ${anyRetired} and ${when} and module <> all(${retired})`,
    pending: `(${counted('due_at is not null')} - ${counted(ofRetired)})`,
    /** Overdue timers of homes that are not on hold: `count` and `first_at`. `limit`: the bound of the count. */
    late: (limit: string): string => `select count(*), min(o.fire_at) as first_at from (
      select greatest(h.due_at, s.until_at) as fire_at from ${thing} h ${held}
      where h.due_at <= ${now} and h.module = any(${inUse}) and coalesce(s.until_at <= ${now}, true)
      order by h.due_at, h.id ${limit}) o`,
  };
};
