/** 244 random bits from the operating system. */
export const NEW_SECRET = `gen_random_uuid()::text || gen_random_uuid()::text`;

/** For chance: a secret, a salt for erased ids that outlives an epoch, and counters. `schema` is a checked identifier. */
export const addChance = (schema: string): string => `
-- By module and name: what rules count of a player outside of things.
alter table "${schema}".home add column counters jsonb not null default '{}';

alter table "${schema}".epoch
  -- The key of all draws; begin-epoch makes another. Whoever knows it knows what will be drawn.
  add column secret       text,
  -- In the hashes of erased ids, which begin-epoch must not change: they say which life of an id begins.
  add column erased_salt  text;
update "${schema}".epoch set secret = ${NEW_SECRET}, erased_salt = epoch;
alter table "${schema}".epoch alter column secret set not null, alter column erased_salt set not null;
`;

export const dropChance = (schema: string): string => `
alter table "${schema}".epoch drop column erased_salt, drop column secret;
alter table "${schema}".home drop column counters;
`;
