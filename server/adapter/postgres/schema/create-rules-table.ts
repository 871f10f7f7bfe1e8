/**
 * Versions of the modules' configs. The greatest number is in force: the newest version of each module. Rows never
 * change, so a number always means the same. Instants are epoch milliseconds. `schema` is a checked identifier.
 */
export const createRulesTable = (schema: string): string => `
create table "${schema}".rules (
  -- Given under a lock, so that numbers are in the order of the commits.
  number   integer primary key check (number > 0),
  module   text    collate "C" not null,
  version  integer not null check (version > 0),
  -- As it was written, byte by byte.
  config   json    not null,
  -- Of the content, whatever the order of its fields.
  hash     text    not null,
  -- Items that the config names: players may have them when no version in force names them any more.
  items    text[]  not null,
  source   text    not null check (source in ('file', 'operator')),
  actor    text    not null,
  reason   text    not null,
  at       bigint  not null,
  unique (module, version)
);
`;

export const dropRulesTable = (schema: string): string => `
drop table "${schema}".rules;
`;
