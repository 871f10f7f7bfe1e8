/**
 * When each scheduled timer is due, and all else that moves (ADR 120): a narrow row beside the one in `timer`, which is
 * written when a timer begins and when it is over. `schema` is a checked identifier.
 */
export const timerDueTable = (schema: string): string => `
create table "${schema}".timer_due (
  id          bigint primary key,
  -- As in timer: what the index needs is here.
  kind        text   not null,
  owner       text   not null,
  fire_at     bigint not null check (abs(fire_at) < 4398046511104),
  due_at      bigint not null check (abs(due_at) < 4398046511104),
  revision    integer not null default 1,
  turn        integer not null default 1,
  attempt     smallint not null default 0,
  claims      smallint not null default 0,
  -- When the call that runs was begun; null when none is.
  claimed_at  bigint,
  updated_at  bigint not null,
  last_error  text,
  -- Null: the one in timer.
  payload     jsonb
) with (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05);

insert into "${schema}".timer_due
  (id, kind, owner, fire_at, due_at, revision, turn, attempt, claims, updated_at, last_error)
select id, kind, owner, fire_at, due_at, revision, turn, attempt, claims, updated_at, last_error
from "${schema}".timer where state = 'scheduled';

-- Sweeper and rebuild: by time, and a stable order inside one instant.
create index timer_due_fire_at on "${schema}".timer_due (fire_at, id);
-- Those that failed are few.
create index timer_due_failed on "${schema}".timer_due (updated_at) where attempt > 0;

drop index "${schema}".timer_scheduled_fire_at;
drop index "${schema}".timer_failed;
alter table "${schema}".timer
  drop claims,
  alter due_at drop not null, alter fire_at drop not null, alter updated_at drop not null,
  alter revision drop not null, alter revision drop default,
  alter attempt drop not null, alter attempt drop default,
  alter turn drop not null, alter turn drop default;
update "${schema}".timer set due_at = null, fire_at = null, updated_at = null, revision = null, attempt = null,
  turn = null, last_error = null
where state = 'scheduled';
-- What a timer was when it ended. A program from before, which writes times here, is refused.
alter table "${schema}".timer add constraint timer_over_check check (
  num_nulls(due_at, fire_at, updated_at, revision, attempt, turn) = case state when 'scheduled' then 6 else 0 end);
create index timer_dead on "${schema}".timer (updated_at) where state = 'dead' and attempt > 0;
`;

export const dropTimerDueTable = (schema: string): string => `
drop index "${schema}".timer_dead;
alter table "${schema}".timer drop constraint timer_over_check, add claims smallint not null default 0;
update "${schema}".timer t set due_at = d.due_at, fire_at = d.fire_at, updated_at = d.updated_at, revision = d.revision,
  attempt = d.attempt, turn = d.turn, claims = d.claims, last_error = d.last_error,
  payload = coalesce(d.payload, t.payload)
from "${schema}".timer_due d where d.id = t.id;
alter table "${schema}".timer
  alter due_at set not null, alter fire_at set not null, alter updated_at set not null,
  alter revision set not null, alter revision set default 1,
  alter attempt set not null, alter attempt set default 0,
  alter turn set not null, alter turn set default 1;
create index timer_failed on "${schema}".timer (state, updated_at) where attempt > 0 and state in ('scheduled', 'dead');
create index timer_scheduled_fire_at on "${schema}".timer (fire_at, id) where state = 'scheduled';
drop table "${schema}".timer_due;
`;
