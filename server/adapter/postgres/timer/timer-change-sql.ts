import { nowMs } from './time-sql.ts';
import { OVER, SCHEDULED, timerTables } from './timer-tables.ts';

/** Statements that lock rows of others. `wait`: what stands behind `for update`. */
export const timerChangeSql = (schema: string, wait: '' | ' nowait') => {
  const { timer, due } = timerTables(schema);
  return {
    changeById: change(schema, {
      wait,
      clock: 4,
      derived: 5,
      wanted: `unnest($1::bigint[], $2::text[], $3::bigint[]) as w(id, change, value) join ${due} d on d.id = w.id`,
    }),

    changeByKey: change(schema, {
      wait,
      clock: 5,
      derived: 6,
      wanted: `unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) as w(kind, subject, change, value)
  join ${timer} t on t.kind = w.kind and t.subject = w.subject and t.state = 'scheduled' join ${due} d on d.id = t.id`,
    }),

    cancelByOwner: `
with target as materialized (
  select d.id from ${timer} t join ${due} d on d.id = t.id
  where t.owner = any($1::text[]) and t.state = 'scheduled' and t.kind <> all($2::text[]) and t.id <> all($4::bigint[])
  order by d.id for update of d${wait}),
${cancelled(schema, { target: 'target', clock: 3 })}
select ${OVER} from cancelled t`,

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

    cancelDead: `
with target as materialized (
  select id from ${timer} where id = $1 and revision = $2 and state = 'dead' for update${wait})
update ${timer} t set state = 'cancelled', result = null, revision = t.revision + 1, updated_at = ${nowMs(3)}
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

/** One statement for three changes, so that a batch of calls is one round trip. A shift counts from the due time. */
const change = (schema: string, { wait, wanted, clock, derived }: ChangeSql): string => {
  const { timer, due } = timerTables(schema);
  return `
with target as materialized (
  select d.id, w.change, case w.change when 'reschedule' then w.value else d.due_at + w.value end as due_at
  from ${wanted} where d.kind <> all($${derived}::text[])
  order by d.id for update of d${wait}),
moved as (
  update ${due} d set due_at = w.due_at, fire_at = w.due_at, attempt = 0, last_error = null, claims = 0,
    claimed_at = null, revision = d.revision + 1, updated_at = ${nowMs(clock)}
  from target w where d.id = w.id and w.change <> 'cancel' returning d.*),
${cancelled(schema, { target: `(select id from target where change = 'cancel')`, clock })}
select ${SCHEDULED} from moved d join ${timer} t on t.id = d.id union all select ${OVER} from cancelled t`;
};

interface Cancelled {
  /** Locked ids. */
  readonly target: string;
  /** Number of a parameter. */
  readonly clock: number;
}

const cancelled = (schema: string, { target, clock }: Cancelled): string => {
  const { timer, due } = timerTables(schema);
  return `ended as (
  delete from ${due} d using ${target} w where d.id = w.id returning d.*),
cancelled as (
  update ${timer} t set state = 'cancelled', due_at = e.due_at, fire_at = e.fire_at, revision = e.revision + 1,
    turn = e.turn, attempt = e.attempt, last_error = e.last_error, payload = coalesce(e.payload, t.payload),
    updated_at = ${nowMs(clock)}
  from ended e where t.id = e.id returning t.*)`;
};
