/** The tables of the operators (ADR 50). `schema` is a checked identifier. */
export const createOpsTables = (schema: string): string => `
create table "${schema}".audit (
  id          bigint generated always as identity primary key,
  command_id  text   collate "C" not null,
  target      text   collate "C" not null,
  actor       text   not null,
  action      text   not null,
  reason      text   not null,
  before      jsonb,
  after       jsonb,
  at          bigint not null,
  -- Of the command's body: tells a repetition from a reuse of the id.
  hash        text   not null,
  -- What a repetition returns.
  answer      jsonb
);
create unique index audit_command on "${schema}".audit (command_id, target);
create index audit_target on "${schema}".audit (target, id);

create table "${schema}".job (
  job_id      text    collate "C" primary key,
  actor       text    not null,
  reason      text    not null,
  items       jsonb   not null,
  state       text    not null check (state in ('running', 'stopped', 'done')),
  per_second  integer not null,
  created_at  bigint  not null,
  updated_at  bigint  not null
);

create table "${schema}".job_target (
  job_id     text collate "C" not null,
  player_id  text collate "C" not null,
  state      text not null default 'waiting' check (state in ('waiting', 'done', 'refused')),
  -- Why it was refused.
  code       text,
  primary key (job_id, player_id)
) with (fillfactor = 70);
create index job_target_state on "${schema}".job_target (job_id, state, player_id);
-- Erasing a player finds the jobs that reached it.
create index job_target_player on "${schema}".job_target (player_id);

-- All that is left of an erased player: a hash, and how often.
create table "${schema}".erased (
  player_hash  text    collate "C" primary key,
  lives        integer not null check (lives > 0)
);

-- Tokens that are refused, by hashes: one token, or all of a player that were issued up to an instant.
create table "${schema}".revoked (
  bearer           text   collate "C" primary key,
  issued_until_at  bigint not null,
  -- From then on the token is over anyway, and the row can go. Null: never.
  until_at         bigint,
  revoked_at       bigint not null
);
create index revoked_recent on "${schema}".revoked (revoked_at);
`;

export const dropOpsTables = (schema: string): string => `
drop table "${schema}".revoked;
drop table "${schema}".erased;
drop table "${schema}".job_target;
drop table "${schema}".job;
drop table "${schema}".audit;
`;
