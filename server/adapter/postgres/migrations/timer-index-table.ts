/** The generation of the due index in force, and its shards: one row, made by the first node that starts. */
export const timerIndexTable = (schema: string): string => `
create table "${schema}".timer_index (
  singleton   smallint primary key check (singleton = 1),
  generation  integer not null,
  shards      integer not null check (shards between 1 and 1024)
);
`;
