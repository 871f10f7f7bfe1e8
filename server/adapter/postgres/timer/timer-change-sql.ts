import { PAUSED_UNTIL_MS } from '../../../timer/model/timer.ts';
import type { TimerUpdate } from '../../../timer/model/timer-store.ts';
import { nowMs } from './time-sql.ts';
import { jsonOf } from './timer-row.ts';
import { OVER, SCHEDULED, timerTables } from './timer-tables.ts';

/** Statements that lock rows of others. `wait`: what stands behind `for update`. */
export const timerChangeSql = (schema: string, wait: '' | ' nowait') => {
  const { timer, due } = timerTables(schema);
  return {
    changeById: change(schema, {
      wait,
      clock: 4,
      derived: 5,
      wanted: `unnest($1::bigint[], $2::text[], $3::bigint[], $6::jsonb[]) as w(id, change, value, result) join ${due} d on d.id = w.id`,
    }),

    changeByKey: change(schema, {
      wait,
      clock: 5,
      derived: 6,
      wanted: `unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $7::jsonb[])
    as w(kind, subject, change, value, result)
  join ${timer} t on t.kind = w.kind and t.subject = w.subject and t.state = 'scheduled' join ${due} d on d.id = t.id`,
    }),

    changeByOwner: changed(schema, {
      target: `
  select d.id, $5::text as change, $6::bigint as value, null::jsonb as result from ${timer} t join ${due} d on d.id = t.id
  where t.owner = any($1::text[]) and t.state = 'scheduled' and t.kind <> all($2::text[]) and t.id <> all($4::bigint[])
    and ($7::text[] is null or t.kind = any($7))
  order by d.id for update of d${wait}`,
      clock: 3,
    }),

    // No key is wanted twice. What is not there, or no more, is added.
    scheduleOrMove: `
with wanted as materialized (
  select * from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::jsonb[], $7::jsonb[], $8::jsonb[])
    as w(kind, subject, owner, at_ms, in_ms, payload, recurrence, misfire)),
target as materialized (
  select d.id, w.* from wanted w
  join ${timer} t on t.kind = w.kind and t.subject = w.subject and t.state = 'scheduled' join ${due} d on d.id = t.id
  order by d.id for update of d${wait}),
${timeAfter('target', 9)},
moved as (
  update ${due} d set due_at = coalesce(w.at_ms, n.now_ms + w.in_ms),
    fire_at = case when ${PAUSED} then d.fire_at else coalesce(w.at_ms, n.now_ms + w.in_ms) end,
    payload = coalesce(w.payload, d.payload), attempt = 0, last_error = null, claims = 0, claimed_at = null,
    revision = d.revision + 1, updated_at = n.now_ms
  from target w, n where d.id = w.id and d.owner = w.owner returning d.*),
adding as materialized (
  select nextval('"${schema}".timer_id_seq') as id, w.*, coalesce(w.at_ms, n.now_ms + w.in_ms) as due_at, n.now_ms
  from (select * from wanted order by kind, subject) w, n
  where not exists (select from target o where o.kind = w.kind and o.subject = w.subject)),
added as (
  insert into ${timer} (id, kind, subject, owner, payload, recurrence, misfire, created_at) overriding system value
  select id, kind, subject, owner, payload, recurrence, misfire, now_ms from adding
  on conflict (kind, subject) where state = 'scheduled' do nothing returning *),
armed as (
  insert into ${due} (id, kind, owner, fire_at, due_at, updated_at)
  select w.id, w.kind, w.owner, w.due_at, w.due_at, w.now_ms from adding w join added a on a.id = w.id returning *)
select ${SCHEDULED} from moved d join ${timer} t on t.id = d.id
union all select ${SCHEDULED} from armed d join added t on t.id = d.id`,

    // A due time and a turn in it are those of the turn to come.
    save: `
with target as materialized (
  select d.id, w.state, w.fire_at, w.attempt, w.last_error, w.result, w.due_at, w.turn, w.payload, w.lateness
  from unnest($1::bigint[], $2::int[], $3::text[], $4::bigint[], $5::int[], $6::text[], $7::jsonb[], $8::bigint[],
    $9::int[], $10::jsonb[], $11::jsonb[])
    as w(id, revision, state, fire_at, attempt, last_error, result, due_at, turn, payload, lateness)
  join ${due} d on d.id = w.id and d.revision = w.revision
  order by d.id for update of d${wait}),
stayed as (
  update ${due} d set fire_at = w.fire_at, attempt = w.attempt, claims = 0, claimed_at = null,
    last_error = w.last_error, due_at = coalesce(w.due_at, d.due_at), turn = coalesce(w.turn, d.turn),
    payload = coalesce(w.payload, d.payload), lateness = coalesce(w.lateness, d.lateness),
    revision = d.revision + 1, updated_at = ${nowMs(12)}
  from target w where d.id = w.id and w.state = 'scheduled' returning d.id, d.owner, d.fire_at, d.revision),
ended as (
  delete from ${due} d using target w where d.id = w.id and w.state <> 'scheduled'
  returning d.id, w.state, w.result, coalesce(w.due_at, d.due_at) as due_at, w.fire_at, d.revision,
    coalesce(w.turn, d.turn) as turn, w.attempt, w.last_error, d.payload,
    coalesce(w.lateness, d.lateness) as lateness),
over as (
  update ${timer} t set state = e.state, result = e.result, due_at = e.due_at, fire_at = e.fire_at,
    revision = e.revision + 1, turn = e.turn, attempt = e.attempt, last_error = e.last_error,
    payload = coalesce(e.payload, t.payload), lateness = e.lateness, updated_at = ${nowMs(12)}
  from ended e where t.id = e.id returning t.id, t.owner, t.fire_at, t.revision, t.state)
select *, 'scheduled' as state from stayed union all select * from over`,

    endDead: `
with target as materialized (
  select id from ${timer} where id = $1 and revision = $2 and state = 'dead' for update${wait})
update ${timer} t set state = $4, result = $5::jsonb, revision = t.revision + 1, updated_at = ${nowMs(3)}
from target w where t.id = w.id returning ${OVER}`,

    // Its key may have been taken since.
    revive: `
with target as materialized (
  select t.* from ${timer} t where id = $1 and revision = $2 and state = 'dead' and not exists (
    select from ${timer} o where o.kind = t.kind and o.subject = t.subject and o.state = 'scheduled')
  for update${wait}),
n as materialized (select ${nowMs(3)} as now_ms),
revived as (
  update ${timer} t set state = 'scheduled', result = null, due_at = null, fire_at = null, updated_at = null,
    revision = null, attempt = null, turn = null, last_error = null
  from target w where t.id = w.id returning t.*),
armed as (
  insert into ${due} (id, kind, owner, fire_at, due_at, revision, turn, updated_at, last_error, lateness)
  select w.id, w.kind, w.owner, greatest(w.due_at, n.now_ms), w.due_at, w.revision + 1, w.turn, n.now_ms, w.last_error,
    w.lateness
  from target w, n returning *)
select ${SCHEDULED} from armed d join revived t on t.id = d.id`,
  };
};

interface ChangeSql {
  readonly wait: '' | ' nowait';
  /** What is wanted, `w`, with the row of `timer_due`, `d`. */
  readonly wanted: string;
  /** Numbers of parameters. */
  readonly clock: number;
  readonly derived: number;
}

/** One statement for all changes, so that a batch of calls is one round trip. */
const change = (schema: string, { wait, wanted, clock, derived }: ChangeSql): string =>
  changed(schema, {
    target: `
  select d.id, w.change, w.value, w.result
  from ${wanted} where d.kind <> all($${derived}::text[]) and (w.change <> 'resume' or ${PAUSED})
  order by d.id for update of d${wait}`,
    clock,
  });

/** The row `d` is held back. */
const PAUSED = `d.fire_at = ${PAUSED_UNTIL_MS}`;
const MOVES = `w.change in ('reschedule', 'reschedule-in', 'shift', 'fire-now')`;
const ENDS = `w.change in ('cancel', 'complete')`;

/** The due time of the row `d` after the change `w` at the time `n`. A shift counts from the due time. */
const DUE_AT = `case w.change when 'reschedule' then w.value when 'reschedule-in' then n.now_ms + w.value
    when 'shift' then d.due_at + w.value when 'fire-now' then n.now_ms else d.due_at end`;

/** Counting the locked rows first makes the time later than the last lock. */
const timeAfter = (locked: string, clock: number): string =>
  `n as materialized (select count(*), ${nowMs(clock)} as now_ms from ${locked})`;

interface ChangedSql {
  /** Locks the rows; selects their ids, each with `change`, `value` and `result`. */
  readonly target: string;
  /** Number of a parameter. */
  readonly clock: number;
}

/** Does what `changedTimer` says. */
const changed = (schema: string, { target, clock }: ChangedSql): string => {
  const { timer, due } = timerTables(schema);
  return `
with target as materialized (${target}),
${timeAfter('target', clock)},
moved as (
  update ${due} d set due_at = ${DUE_AT},
    fire_at = case when w.change = 'pause' then ${PAUSED_UNTIL_MS} when w.change = 'fire-now' then n.now_ms
      when w.change = 'resume' then greatest(d.due_at, n.now_ms)
      when ${MOVES} and not ${PAUSED} then ${DUE_AT} else d.fire_at end,
    attempt = case when ${MOVES} then 0 else d.attempt end,
    last_error = case when not ${MOVES} then d.last_error end,
    claims = 0, claimed_at = null, revision = d.revision + 1, updated_at = n.now_ms
  from target w, n where d.id = w.id and not ${ENDS} returning d.*),
ended as (
  delete from ${due} d using target w where d.id = w.id and ${ENDS} returning d.*, w.change, w.result),
over as (
  update ${timer} t set state = case e.change when 'cancel' then 'cancelled' else 'completed' end, result = e.result,
    due_at = e.due_at, fire_at = e.fire_at, revision = e.revision + 1, turn = e.turn, attempt = e.attempt,
    last_error = e.last_error, payload = coalesce(e.payload, t.payload), lateness = e.lateness,
    updated_at = n.now_ms
  from ended e, n where t.id = e.id returning t.*)
select ${SCHEDULED} from moved d join ${timer} t on t.id = d.id union all select ${OVER} from over t`;
};

/** The parameters of `save` but for the time. */
export const updateColumns = (updates: readonly TimerUpdate[]): readonly unknown[] => [
  updates.map((update) => update.timerId),
  updates.map((update) => update.revision),
  updates.map((update) => update.state),
  updates.map((update) => update.fireAtMs),
  updates.map((update) => update.attempt),
  updates.map((update) => update.lastError ?? null),
  updates.map((update) => jsonOf(update.result)),
  updates.map((update) => update.again?.dueAtMs ?? null),
  updates.map((update) => update.again?.turn ?? null),
  updates.map((update) => jsonOf(update.again?.payload)),
  updates.map((update) => jsonOf(update.lateness)),
];
