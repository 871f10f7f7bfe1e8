/**
 * The tables of the homes. The log (`event`) is the history of record; `home` and `thing` are its fold, kept so
 * that no reader has to fold it. Instants are epoch milliseconds. `schema` is a checked identifier.
 *
 * In all tables, ids have the collation "C": equal and in order byte by byte, whatever language the database has. Fill
 * factors leave room for updates in place; a column that changes all the time is in no index.
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

-- What players' modules keep, one row a thing (ADR 100).
create table "${schema}".thing (
  player_id  text    collate "C" not null,
  module     text    collate "C" not null,
  thing_id   text    collate "C" not null,
  version    integer not null check (version > 0),
  state      jsonb   not null,
  title      text,
  -- The time of its timer, so that rows and timers can be compared without rules.
  due_at     bigint,
  primary key (player_id, module, thing_id)
) with (fillfactor = 70);
-- The search box: beginnings of names, whatever language the database has.
create index thing_title_prefix on "${schema}".thing (lower(title) text_pattern_ops) where title is not null;

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
drop table "${schema}".thing;
drop view "${schema}".item;
drop table "${schema}".home;
drop table "${schema}".epoch;
`;
