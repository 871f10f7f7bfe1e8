/**
 * The tables of the homes. The log (`event`) is the history of record; `home`, `pet`, `feeding` and `item` are its
 * fold, kept so that nobody has to fold it. Instants are epoch milliseconds. `schema` is a quoted identifier.
 *
 * Fill factors leave room for updates in place; what is updated all the time is in no index.
 */
export const createHomeTables = (schema: string): readonly string[] => [
  `create table ${schema}.epoch (
     is_one boolean primary key default true check (is_one),
     epoch text not null
   )`,
  `create table ${schema}.home (
     player_id text primary key,
     seq bigint not null check (seq > 0),
     last_at bigint not null check (last_at > 0)
   ) with (fillfactor = 70)`,
  ...petTables(schema).slice(0, 4),
  `create table ${schema}.item (
     player_id text not null,
     item text not null,
     count bigint not null check (count >= 0),
     primary key (player_id, item)
   ) with (fillfactor = 70)`,
  `create table ${schema}.event (
     player_id text not null,
     seq bigint not null check (seq > 0),
     at bigint not null,
     type text not null,
     body jsonb not null,
     command_id text,
     command_hash text,
     answer_seq bigint,
     primary key (player_id, seq),
     constraint event_command_hashed check ((command_id is null) = (command_hash is null)),
     constraint event_command_answered check ((command_id is null) = (answer_seq is null))
   )`,
  `create unique index event_command on ${schema}.event (player_id, command_id) where command_id is not null`,
];

/** Pets and their feedings, until they became things (`thing-table.ts`); the last two indexes came later. */
export const petTables = (schema: string): readonly string[] => [
  `create table ${schema}.pet (
     pet_id text primary key,
     player_id text not null,
     adopted_seq bigint not null,
     name text not null,
     species text not null,
     xp bigint not null check (xp >= 0),
     boost_rate integer check (boost_rate >= 2),
     boost_ends_at bigint,
     armed jsonb not null,
     blocked_at bigint,
     last_feeding_id text,
     last_food text,
     last_work_ms bigint,
     last_xp bigint,
     last_outcome text check (last_outcome in ('completed', 'stopped')),
     constraint pet_boost_whole check ((boost_rate is null) = (boost_ends_at is null)),
     constraint pet_last_feeding_whole check ((last_feeding_id is null) = (last_outcome is null))
   ) with (fillfactor = 70)`,
  `create index pet_player on ${schema}.pet (player_id)`,
  `create table ${schema}.feeding (
     feeding_id text primary key,
     player_id text not null,
     pet_id text not null,
     state text not null check (state in ('running', 'completed', 'stopped')),
     food text not null,
     fed_by text not null check (fed_by in ('hand', 'card')),
     work_ms bigint not null check (work_ms > 0),
     xp bigint not null check (xp >= 0),
     has_cards boolean not null,
     started_at bigint not null,
     left_ms bigint not null check (left_ms >= 0),
     since_at bigint not null,
     ended_at bigint,
     constraint feeding_ended check ((state = 'running') = (ended_at is null))
   ) with (fillfactor = 70)`,
  // One bowl: whatever the code believes, a pet never eats twice at once.
  `create unique index feeding_one_bowl on ${schema}.feeding (pet_id) where state = 'running'`,
  `create index feeding_ended_at on ${schema}.feeding (ended_at) where state <> 'running'`,
  `create index pet_name_prefix on ${schema}.pet (lower(name) text_pattern_ops)`,
];

export const dropHomeTables = (schema: string): readonly string[] =>
  ['event', 'item', 'feeding', 'pet', 'home', 'epoch'].map((table) => `drop table ${schema}.${table}`);
