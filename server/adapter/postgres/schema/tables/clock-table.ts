/** The newest time that somebody trusted, and whether it is held: one row, made by the first process (ADR 70). */
export const clockTable = (schema: string): string => `
create table "${schema}".clock (
  singleton   smallint primary key check (singleton = 1),
  trusted_at  bigint not null,
  held_by_ms  bigint not null
);
`;
