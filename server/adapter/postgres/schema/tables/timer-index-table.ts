/** The generation of the due index in force, and its shards: one row, made by the first node that starts. */
export const timerIndexTable = (schema: string): string => `
create table "${schema}".timer_index (
  singleton   smallint primary key check (singleton = 1),
  generation  integer not null,
  shards      integer not null check (shards between 1 and 1024)
);
`;

/** What the next generation is to have, the count that shows an old copy, and what came before (ADR 40). */
export const timerIndexCare = (schema: string): string => `
alter table "${schema}".timer_index
  add column wanted_shards  integer check (wanted_shards between 1 and 1024),
  add column pulse          integer not null default 0,
  add column past           jsonb not null default '[]';
`;
