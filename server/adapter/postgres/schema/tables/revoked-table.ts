/**
 * Tokens that let nobody in any more, by hashes: one token, or all of a player that were issued up to an instant. What
 * ends by itself can be forgotten after `until_at`; null: never.
 */
export const revokedTable = (schema: string): readonly string[] => [
  `create table "${schema}".revoked (
     bearer text primary key,
     issued_until_at bigint not null,
     until_at bigint,
     revoked_at bigint not null
   )`,
  `create index revoked_recent on "${schema}".revoked (revoked_at)`,
];
