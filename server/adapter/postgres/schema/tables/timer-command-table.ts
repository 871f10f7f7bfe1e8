/** Version 14: calls of timers that are done once, by the caller's id, and what they returned. */
export const timerCommandTable = (schema: string): string => `
create table "${schema}".timer_command (
  id      text   primary key,
  -- Of what was wanted.
  hash    text   not null,
  -- Null until the transaction that does it ends.
  answer  jsonb,
  at      bigint not null
);
-- Retention.
create index timer_command_at on "${schema}".timer_command (at);
`;

export const dropTimerCommandTable = (schema: string): string => `drop table "${schema}".timer_command;`;
