/**
 * The tables of the homes. The log (`event`) is the history of record; `home` and `thing` are its stored fold, so that
 * no reader has to fold it. Instants are epoch milliseconds. `schema` is a checked identifier.
 *
 * In all tables ids have the collation "C": they are compared byte by byte, whatever language the database has. Fill
 * factors leave room for updates in place; a column that changes often is in no index.
 */
export const createHomeTables = (schema: string): string => `
-- The name of the database, one row. A restored database gets another.
create table "${schema}".epoch (
  is_one  boolean primary key default true check (is_one),
  epoch   text    not null
);
insert into "${schema}".epoch (epoch) values (gen_random_uuid()::text);

create table "${schema}".home (
  player_id  text    collate "C" primary key,
  seq        bigint  not null check (seq > 0),
  last_at    bigint  not null check (last_at > 0),
  -- That of the last event: looking it up in the log cost more (ADR 30).
  tx         bigint  not null,
  frozen_at  bigint,
  -- How often a home of this id was erased.
  life       integer not null default 0,
  -- Modules that gave the player what one begins with.
  opened     text[]  not null,
  -- The stock: the home's lock guards it, and one update writes both. Empty where a game has its own inventory.
  items      jsonb   not null default '{}' constraint home_items_whole check (not items @? '$.* ? (@ < 0)')
) with (fillfactor = 70);
-- For SQL by hand.
create view "${schema}".item as
  select h.player_id, e.key as item, e.value::bigint as count from "${schema}".home h, jsonb_each_text(h.items) e;

-- What players' modules keep, one row a thing (ADR 100). The row is the thing's timer as well (ADR 138): state and due time
-- are written together. An update that moves the due time is not HOT: the due time is in an index.
create table "${schema}".thing (
  player_id  text    collate "C" not null,
  module     text    collate "C" not null,
  thing_id   text    collate "C" not null,
  -- Of its timer: even, as those of own kinds are odd.
  id         bigint  generated always as identity (start with 2 increment by 2),
  version    integer not null check (version > 0),
  state      jsonb   not null,
  title      text,
  -- As the rules say of the state; null: the thing has no timer.
  due_at     bigint  check (abs(due_at) < 4398046511104),
  -- When due_at became what it is.
  due_since  bigint  not null,
  -- One more with each other due_at, and with nothing else: the index sees 1,024 steps.
  revision   integer not null default 1,
  primary key (player_id, module, thing_id)
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05);
-- Sweeper and rebuild: by time, and a stable order inside one instant.
create index thing_due on "${schema}".thing (due_at, id) where due_at is not null;
-- The search box: beginnings of names, whatever language the database has.
create index thing_title_prefix on "${schema}".thing (lower(title) text_pattern_ops) where title is not null;

-- Homes that could not be settled, or for which there was no room: until then the sweeper leaves them alone.
create table "${schema}".home_hold (
  player_id   text    collate "C" primary key,
  until_at    bigint  not null,
  -- Failed looks in a row; 0: there was no room.
  attempt     integer not null,
  last_error  text,
  updated_at  bigint  not null
) with (fillfactor = 70);

create table "${schema}".event (
  player_id     text   collate "C" not null,
  seq           bigint not null check (seq > 0),
  -- The logical time.
  at            bigint not null,
  -- The reading of the clock that the rules' batch was given: later than at where a due time was noticed late.
  read_at       bigint not null,
  type          text   not null,
  body          jsonb  not null,
  command_id    text   collate "C",
  command_hash  text,
  answer_seq    bigint,
  -- Orders the log of all players (ADR 30).
  tx            bigint not null,
  primary key (player_id, seq),
  constraint event_command_hashed check ((command_id is null) = (command_hash is null)),
  constraint event_command_answered check ((command_id is null) = (answer_seq is null))
);
-- A command that is sent again finds its first answer.
create unique index event_command on "${schema}".event (player_id, command_id) where command_id is not null;
-- Consumers.
create index event_order on "${schema}".event (tx, player_id, seq);

-- The fold of events that retention has deleted (ADR 31).
create table "${schema}".checkpoint (
  player_id  text   collate "C" primary key,
  seq        bigint not null check (seq > 0),
  home       jsonb  not null
);

-- How far each consumer has read the log.
create table "${schema}".consumer (
  name       text   collate "C" primary key,
  tx         bigint not null,
  player_id  text   collate "C" not null,
  seq        bigint not null
) with (fillfactor = 50);
`;

export const dropHomeTables = (schema: string): string => `
drop table "${schema}".consumer;
drop table "${schema}".checkpoint;
drop table "${schema}".event;
drop table "${schema}".home_hold;
drop table "${schema}".thing;
drop view "${schema}".item;
drop table "${schema}".home;
drop table "${schema}".epoch;
`;
