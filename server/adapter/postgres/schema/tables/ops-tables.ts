/** The tables of the operators, and the indexes behind their pages (ADR 50). `schema` is a quoted identifier. */
export const createOpsTables = (schema: string): readonly string[] => [
  `alter table ${schema}.home add column frozen_at bigint, add column life integer not null default 0`,
  // Of an erased player nothing else is left: a hash, and how often.
  `create table ${schema}.erased (
     player_hash text primary key,
     lives integer not null check (lives > 0)
   )`,
  `create table ${schema}.audit (
     id bigint generated always as identity primary key,
     command_id text not null,
     target text not null,
     actor text not null,
     action text not null,
     reason text not null,
     before jsonb,
     after jsonb,
     at bigint not null,
     hash text not null,
     answer jsonb
   )`,
  `create unique index audit_command on ${schema}.audit (command_id, target)`,
  `create index audit_target on ${schema}.audit (target, id)`,
  `create table ${schema}.job (
     job_id text primary key,
     actor text not null,
     reason text not null,
     items jsonb not null,
     state text not null check (state in ('running', 'stopped', 'done')),
     per_second integer not null,
     created_at bigint not null,
     updated_at bigint not null
   )`,
  `create table ${schema}.job_target (
     job_id text not null,
     player_id text not null,
     state text not null default 'waiting' check (state in ('waiting', 'done', 'refused')),
     code text,
     primary key (job_id, player_id)
   ) with (fillfactor = 70)`,
  `create index job_target_state on ${schema}.job_target (job_id, state, player_id)`,
  // Erasing a player finds the jobs that reached it.
  `create index job_target_player on ${schema}.job_target (player_id)`,
  // The search box: beginnings of ids and of names, whatever the database's collation is.
  `create index home_player_prefix on ${schema}.home (player_id text_pattern_ops)`,
  `create index pet_name_prefix on ${schema}.pet (lower(name) text_pattern_ops)`,
  // A player's finished timers; the scheduled ones have their own.
  `create index timer_finished_owner on ${schema}.timer (owner, updated_at) where state <> 'scheduled'`,
];

export const dropOpsTables = (schema: string): readonly string[] => [
  `drop index ${schema}.timer_finished_owner`,
  `drop index ${schema}.pet_name_prefix`,
  `drop index ${schema}.home_player_prefix`,
  ...['job_target', 'job', 'audit', 'erased'].map((table) => `drop table ${schema}.${table}`),
  `alter table ${schema}.home drop column life, drop column frozen_at`,
];
