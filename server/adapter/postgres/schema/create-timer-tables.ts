/**
 * The tables of timers of own kinds, and why each index exists. Timers of things are rows of `thing`. `schema` is a
 * checked identifier.
 *
 * `timer` has the fields that stay, and is written at the begin and the end of a timer. The narrow row of `timer_due`
 * has the fields that change meanwhile (ADR 120). Updates of times touch an index and are never HOT, updates of failed
 * attempts' texts are: a part of each page stays free for them.
 */
export const createTimerTables = (schema: string): string => `
create table "${schema}".timer (
  -- Odd: those of things are even, so an id says which table has the row.
  id          bigint   generated always as identity (increment by 2) primary key,
  kind        text     collate "C" not null,
  subject     text     collate "C" not null,
  owner       text     collate "C" not null,
  state       text     not null default 'scheduled' check (state in ('scheduled', 'completed', 'cancelled', 'dead')),
  payload     jsonb,
  recurrence  jsonb,
  misfire     jsonb,
  result      jsonb,
  created_at  bigint   not null,
  -- From here on: what the timer was when it ended. Null while it is scheduled.
  due_at      bigint   check (abs(due_at) < 4398046511104),
  fire_at     bigint   check (abs(fire_at) < 4398046511104),
  updated_at  bigint,
  revision    integer,
  attempt     smallint,
  turn        integer,
  last_error  text,
  lateness    jsonb,
  constraint timer_over_check check (
    num_nulls(due_at, fire_at, updated_at, revision, attempt, turn) = case state when 'scheduled' then 6 else 0 end)
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05);
-- The caller's own key.
create unique index timer_scheduled_key on "${schema}".timer (kind, subject) where state = 'scheduled';
-- "My timers".
create index timer_scheduled_owner on "${schema}".timer (owner) where state = 'scheduled' and owner is not null;
-- The finished timers of an owner.
create index timer_finished_owner on "${schema}".timer (owner, updated_at) where state <> 'scheduled';
-- Has this key fired already? (Cancelled ones have not.)
create index timer_fired_key on "${schema}".timer (kind, subject, id) where state in ('completed', 'dead');
-- Retention.
create index timer_finished on "${schema}".timer (updated_at) where state in ('completed', 'cancelled');
-- Dead timers are few.
create index timer_dead on "${schema}".timer (updated_at) where state = 'dead' and attempt > 0;

create table "${schema}".timer_due (
  id          bigint   primary key,
  -- As in timer: what the index needs is here.
  kind        text     collate "C" not null,
  owner       text     collate "C" not null,
  fire_at     bigint   not null check (abs(fire_at) < 4398046511104),
  due_at      bigint   not null check (abs(due_at) < 4398046511104),
  revision    integer  not null default 1,
  -- Part of the idempotency key of a call: the same in every attempt, another when the timer comes again.
  turn        integer  not null default 1,
  attempt     smallint not null default 0,
  -- Calls begun in this attempt of which no outcome was saved.
  claims      smallint not null default 0,
  -- When the call that runs was begun; null when none is.
  claimed_at  bigint,
  updated_at  bigint   not null,
  last_error  text,
  -- Null: the one in timer.
  payload     jsonb,
  -- What a turn was judged to be that was taken late. It says of which turn and due time it is, so a move leaves it.
  lateness    jsonb
) with (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05);
-- Sweeper and rebuild: by time, and a stable order inside one instant.
create index timer_due_fire_at on "${schema}".timer_due (fire_at, id);
-- Timers that failed are few.
create index timer_due_failed on "${schema}".timer_due (updated_at) where attempt > 0;

-- Calls of timers that are done once, by the caller's id, and what they returned.
create table "${schema}".timer_command (
  id      text   collate "C" primary key,
  -- Of what was wanted.
  hash    text   not null,
  -- Null until the transaction that does it ends.
  answer  jsonb,
  at      bigint not null
);
-- Retention.
create index timer_command_at on "${schema}".timer_command (at);

-- Every kind that any process ever registered: no process fires what is overdue of the others.
create table "${schema}".timer_kind (
  kind           text   collate "C" primary key,
  registered_at  bigint not null,
  -- How long finished timers of the kind stay. Null: the default.
  retention_ms   bigint,
  -- The module whose things' timers are of this kind; null: a kind of the game's own, or one that the module had before.
  module         text    collate "C",
  -- The module was taken out for good: its things keep their rows, and have no timers.
  is_retired     boolean not null default false
);

-- For SQL by hand: every scheduled timer, also those of things.
create view "${schema}".timers as
  select t.id, t.kind, t.subject, t.owner, d.due_at, d.fire_at, d.attempt, d.last_error
    from "${schema}".timer t join "${schema}".timer_due d on d.id = t.id
  union all
  select h.id, k.kind, h.player_id || '~' || h.thing_id, h.player_id, h.due_at, greatest(h.due_at, s.until_at),
      coalesce(s.attempt, 0), s.last_error
    from "${schema}".thing h join "${schema}".timer_kind k on k.module = h.module and not k.is_retired
    left join "${schema}".home_hold s on s.player_id = h.player_id and h.due_at <= s.updated_at
    where h.due_at is not null;

create table "${schema}".timer_pause (
  kind       text   collate "C" primary key,
  paused_at  bigint not null
);

-- The generation of the due index in force, one row, made by the first process that starts (ADR 40).
create table "${schema}".timer_index (
  singleton      smallint primary key check (singleton = 1),
  generation     integer  not null,
  shards         integer  not null check (shards between 1 and 1024),
  -- What the next generation is to have.
  wanted_shards  integer  check (wanted_shards between 1 and 1024),
  -- The count that shows an old copy of the index.
  pulse          integer  not null default 0,
  -- Generations before.
  past           jsonb    not null default '[]'
);

-- The newest trusted time, and whether time is held: one row, made by the first process that starts (ADR 70).
create table "${schema}".clock (
  singleton   smallint primary key check (singleton = 1),
  trusted_at  bigint   not null,
  held_by_ms  bigint   not null
);
`;

export const dropTimerTables = (schema: string): string => `
drop table "${schema}".clock;
drop table "${schema}".timer_index;
drop view "${schema}".timers;
drop table "${schema}".timer_pause;
drop table "${schema}".timer_kind;
drop table "${schema}".timer_command;
drop table "${schema}".timer_due;
drop table "${schema}".timer;
`;
