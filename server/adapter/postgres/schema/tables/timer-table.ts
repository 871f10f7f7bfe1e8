/**
 * The timer rows, their paused kinds, and why each index exists. `schema` is a checked identifier.
 * A tenth of each page stays free, so that an update finds room beside its row; updates of `fire_at` or `state` touch
 * partial indexes and are never HOT, failed attempts' texts are.
 */
export const timerTable = (schema: string): string => `
create table "${schema}".timer (
  id          bigint generated always as identity primary key,
  kind        text   not null,
  subject     text   not null,
  owner       text   not null,
  due_at      bigint not null check (abs(due_at) < 4398046511104),
  fire_at     bigint not null check (abs(fire_at) < 4398046511104),
  state       text   not null default 'scheduled' check (state in ('scheduled', 'completed', 'cancelled', 'dead')),
  revision    integer not null default 1,
  attempt     smallint not null default 0,
  payload     jsonb,
  last_error  text,
  result      jsonb,
  created_at  bigint not null,
  updated_at  bigint not null
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05);

-- The caller's own key.
create unique index timer_scheduled_key on "${schema}".timer (kind, subject) where state = 'scheduled';
-- Sweeper and rebuild: by time, and a stable order inside one instant.
create index timer_scheduled_fire_at on "${schema}".timer (fire_at, id) where state = 'scheduled';
-- "My timers".
create index timer_scheduled_owner on "${schema}".timer (owner) where state = 'scheduled';
-- Has this key fired already? (Cancelled ones have not.)
create index timer_fired_key on "${schema}".timer (kind, subject, id) where state in ('completed', 'dead');
-- Retention.
create index timer_finished on "${schema}".timer (updated_at) where state in ('completed', 'cancelled');
-- Dead timers and those that failed are few.
create index timer_failed on "${schema}".timer (state, updated_at) where attempt > 0 and state in ('scheduled', 'dead');

create table "${schema}".timer_pause (
  kind       text   primary key,
  paused_at  bigint not null
);
`;

export const dropTimerTable = (schema: string): string => `
drop table "${schema}".timer_pause;
drop table "${schema}".timer;
`;

/** Version 10: a timer can come again in its row, and a call is claimed there. */
export const timerTurns = (schema: string): string => `
alter table "${schema}".timer
  -- Part of the idempotency key of a call: the same in every attempt, another when the timer comes again.
  add turn integer not null default 1,
  -- Calls begun in this attempt of which no outcome was saved.
  add claims smallint not null default 0;

-- Every kind that any process ever registered: what is overdue of the others has nobody to fire it.
create table "${schema}".timer_kind (
  kind           text   primary key,
  registered_at  bigint not null
);
`;

export const dropTimerTurns = (schema: string): string => `
drop table "${schema}".timer_kind;
alter table "${schema}".timer drop turn, drop claims;
`;

/** Version 13: a timer comes again by itself, and says what becomes of it when it is late. */
export const timerRecurrence = (schema: string): string => `
alter table "${schema}".timer
  add recurrence jsonb,
  add misfire jsonb,
  -- Of one that is over.
  add lateness jsonb;

-- What a turn was judged to be that was taken late. Of which turn and due time it is, it says itself, so a move leaves it.
alter table "${schema}".timer_due add lateness jsonb;
`;

export const dropTimerRecurrence = (schema: string): string => `
alter table "${schema}".timer_due drop lateness;
alter table "${schema}".timer drop recurrence, drop misfire, drop lateness;
`;
