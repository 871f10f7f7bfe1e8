import type { DerivedChanges } from '../../../timer/model/timer-store.ts';
import { columnsOf } from './timer-key.ts';
import { jsonOf } from './timer-row.ts';
import { timerTables } from './timer-tables.ts';

/**
 * Rows of derived kinds. Written under the lock of their home, so that nobody else schedules or ends them meanwhile.
 * Look-ups with a `limit` keep the planner to the indexes, also on tables that are still empty.
 */
export const derivedSql = (schema: string): string => {
  const { timer, due } = timerTables(schema);
  const byKey = `(select x.id from ${timer} x
    where x.kind = w.kind and x.subject = w.subject and x.state = 'scheduled' limit 1)`;
  const locked = (id: string): string => `(select * from ${due} x where x.id = ${id} limit 1 for update)`;
  return `
with ending as materialized (
  select t.id, w.state, w.result
  from unnest($1::text[], $2::text[], $3::text[], $4::jsonb[]) as w(kind, subject, state, result)
  cross join lateral ${byKey} t order by t.id),
endable as materialized (select e.* from ending e cross join lateral ${locked('e.id')} l),
ended as (
  delete from ${due} d using endable e where d.id = e.id returning d.*, e.state, e.result),
over as (
  update ${timer} t set state = e.state, result = e.result, due_at = e.due_at, fire_at = e.fire_at,
    revision = e.revision + 1, turn = e.turn, attempt = e.attempt, last_error = e.last_error, updated_at = $12
  from ended e where t.id = e.id returning t.id, t.owner, t.fire_at, t.revision),
wanted as materialized (
  select t.id, w.* from (
    select kind, subject, null as owner, due_at from unnest($5::text[], $6::text[], $7::bigint[]) as m(kind, subject, due_at)
    union all select * from unnest($8::text[], $9::text[], $10::text[], $11::bigint[])) w
  left join lateral ${byKey} t on not exists (select from ending e where e.id = t.id)
  order by t.id),
movable as materialized (select w.id, w.due_at from wanted w cross join lateral ${locked('w.id')} l),
moved as (
  update ${due} d set due_at = m.due_at, fire_at = m.due_at, attempt = 0, last_error = null, claims = 0,
    claimed_at = null, revision = d.revision + 1, updated_at = $12
  from movable m where d.id = m.id
  returning d.id, d.owner, d.fire_at, d.revision),
added as (
  insert into ${timer} (kind, subject, owner, created_at)
  select w.kind, w.subject, w.owner, $12 from wanted w
  -- After the others: a key may be finished and scheduled anew in one statement.
  where w.id is null and w.owner is not null and (select count(*) from over) >= 0
  on conflict (kind, subject) where state = 'scheduled' do nothing
  returning id, kind, subject, owner),
armed as (
  insert into ${due} (id, kind, owner, fire_at, due_at, updated_at)
  select a.id, a.kind, a.owner, w.due_at, w.due_at, $12 from added a join wanted w using (kind, subject)
  returning id, owner, fire_at, revision)
select true as is_over, * from over
union all select false, * from moved
union all select false, * from armed`;
};

/** The parameters of `derivedSql` but for the time. */
export const derivedColumns = (changes: DerivedChanges): readonly unknown[] => {
  const { schedule = [], reschedule = [], complete = [], cancel = [] } = changes;
  const over = [...complete, ...cancel];
  return [
    ...columnsOf(over),
    over.map((_, at) => (at < complete.length ? 'completed' : 'cancelled')),
    over.map((_, at) => jsonOf(complete[at]?.result)),
    ...columnsOf(reschedule),
    reschedule.map(({ dueAtMs }) => dueAtMs),
    ...columnsOf(schedule),
    schedule.map(({ owner }) => owner),
    schedule.map(({ dueAtMs }) => dueAtMs),
  ];
};
