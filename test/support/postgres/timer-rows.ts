/** Inserts scheduled timers; `select` returns kind, subject, owner and due time. */
export const insertTimers = (select: string): string => `
with w(kind, subject, owner, due_at) as (${select}),
t as (insert into kibble.timer (kind, subject, owner, created_at) select kind, subject, owner, 0 from w returning *)
insert into kibble.timer_due (id, kind, owner, due_at, fire_at, updated_at)
select t.id, t.kind, t.owner, w.due_at, w.due_at, 0 from t join w using (kind, subject)`;

/** Ends scheduled timers, of which `where` says which, as `timer` has them. */
export const endTimers = (state: 'completed' | 'cancelled' | 'dead', where: string): string => `
with d as (
  delete from kibble.timer_due d using kibble.timer t where t.id = d.id and t.state = 'scheduled' and ${where}
  returning d.*)
update kibble.timer t set state = '${state}', due_at = d.due_at, fire_at = d.fire_at, revision = d.revision + 1,
  turn = d.turn, attempt = d.attempt, last_error = d.last_error, updated_at = d.updated_at
from d where t.id = d.id`;
