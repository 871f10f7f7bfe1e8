import type { DerivedChanges } from '../../../timer/model/timer-store.ts';
import { columnsOf } from './timer-row.ts';
import { timerTables } from './timer-tables.ts';

/**
 * Rows of derived kinds: those without a due time end. Written under the lock of their home, so that nobody else begins
 * or ends them meanwhile. Look-ups with a `limit` keep the planner to the indexes, also on tables that are still empty.
 */
export const derivedSql = (schema: string): string => {
  const { timer, due } = timerTables(schema);
  return `
with wanted as materialized (
  select w.*, t.id, t.owner = w.owner and w.due_at is not null as stays
  from unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) as w(kind, subject, owner, due_at)
  left join lateral (select x.id, x.owner from ${timer} x
    -- An order that is not all constants: of empty indexes the planner would take any.
    where (x.kind, x.subject) >= (w.kind, w.subject) and (x.kind, x.subject) <= (w.kind, w.subject)
      and x.state = 'scheduled' order by x.kind, x.subject limit 1) t on true
  order by t.id),
held as materialized (
  select w.id, w.due_at, w.stays from wanted w
  cross join lateral (select from ${due} x where x.id = w.id limit 1 for update) l),
moved as (
  update ${due} d set due_at = h.due_at, fire_at = h.due_at, attempt = 0, last_error = null, claims = 0,
    claimed_at = null, revision = d.revision + 1, updated_at = $5
  from held h where d.id = h.id and h.stays returning d.id, d.owner, d.fire_at, d.revision),
disarmed as (
  delete from ${due} d using held h where d.id = h.id and h.stays is not true
  returning d.id, d.owner, d.fire_at, d.revision + 1 as revision),
ended as (delete from ${timer} t using disarmed e where t.id = e.id returning t.id),
added as (
  insert into ${timer} (kind, subject, owner, created_at)
  select w.kind, w.subject, w.owner, $5 from wanted w
  -- After the others: a key of another owner has ended by then.
  where w.stays is not true and w.due_at is not null and (select count(*) from ended) >= 0
  returning id, kind, subject, owner),
armed as (
  insert into ${due} (id, kind, owner, fire_at, due_at, updated_at)
  select a.id, a.kind, a.owner, w.due_at, w.due_at, $5 from added a join wanted w using (kind, subject)
  returning id, owner, fire_at, revision)
select true as is_over, * from disarmed
union all select false, * from moved
union all select false, * from armed`;
};

/** The parameters of `derivedSql` but for the time. */
export const derivedColumns = ({ put = [], end = [] }: DerivedChanges): readonly unknown[] => [
  ...columnsOf([...put, ...end]),
  [...put.map(({ owner }) => owner), ...end.map(() => null)],
  [...put.map(({ dueAtMs }) => dueAtMs), ...end.map(() => null)],
];
