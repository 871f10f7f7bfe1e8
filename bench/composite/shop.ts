import type { Pool } from 'pg';

/** What a card takes away, of hours that no run comes near to. */
export const CUT_MS = 60_000;
const CARD = 'speed-up';
export const CARDS = 100_000;

// Room on each page, so that a changed row stays on it and no index is written.
const tables = `
create table stock (player_id text not null, item text not null, count int not null check (count >= 0),
  primary key (player_id, item)) with (fillfactor = 70);
create table feeding (player_id text primary key, due_at bigint not null) with (fillfactor = 70);
create table outbox (id bigserial primary key, player_id text not null, due_at bigint not null)`;

export const seedShop = async (pool: Pool, playerIds: readonly string[], dueAtMs: number): Promise<void> => {
  for (const statement of tables.split(';')) await pool.query(statement);
  await pool.query(`insert into stock select id, '${CARD}', ${CARDS} from unnest($1::text[]) id`, [playerIds]);
  await pool.query('insert into feeding select id, $2 from unnest($1::text[]) id', [playerIds, dueAtMs]);
  for (const statement of ['vacuum analyze', 'checkpoint']) await pool.query(statement);
};

/**
 * Spends a card, brings the due time nearer and says so in the outbox: one transaction, prepared, sent in one round
 * trip. Without a card in stock the check of the table fails it, and all of it.
 */
export const playCard = async (pool: Pool, playerId: string): Promise<void> => {
  const client = await pool.connect();
  try {
    const sent = await Promise.allSettled([
      client.query('begin'),
      client.query({ name: 'spend', text: spend, values: [playerId] }),
      client.query({ name: 'move', text: move, values: [playerId, CUT_MS] }),
      client.query('commit'),
    ]);
    for (const each of sent) if (each.status === 'rejected') throw each.reason;
  } finally {
    client.release();
  }
};

const spend = `update stock set count = count - 1 where player_id = $1 and item = '${CARD}'`;
const move = `
with moved as (update feeding set due_at = due_at - $2 where player_id = $1 returning player_id, due_at)
insert into outbox (player_id, due_at) select player_id, due_at from moved`;
