import { Client } from 'pg';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { migratedDatabase } from '../support/postgres/home-database.ts';
import { StockWatch } from './stock-watch.ts';

const watched = async (statement: string) => {
  const { url, drop } = await migratedDatabase(inject('postgresUrl'));
  onTestFinished(drop);
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
  const watch = new StockWatch({ databaseUrl: url });
  watch.start();
  await vi.waitFor(() => expect(watch.looks).toBeGreaterThan(0), { timeout: 5000 });
  await watch.stop();
  return watch.violations;
};

const events = (...deltas: readonly number[]): string =>
  deltas
    .map(
      (delta, at) => `insert into kibble.event (player_id, seq, at, read_at, type, body, tx)
        values ('ann', ${at + 1}, 0, 0, 'items-granted', '{"items": {"snack": ${delta}}}', '1');`,
    )
    .join('');

const row = (count: number): string =>
  `insert into kibble.home (player_id, seq, last_at, tx, opened, items)
   values ('ann', 1, 1, 0, '{}', jsonb_build_object('snack', ${count}));`;

it('finds nothing where the rows have what the log says', async () => {
  expect(await watched(events(5, -2) + row(3))).toEqual([]);
});

it.each([
  ['a row has less than the log says', row(2), 'has 2 of snack while its log says 3'],
  ['a row is missing', '', 'has 0 of snack while its log says 3'],
])('sees that %s', async (_, rows, what) => {
  expect(await watched(events(5, -2) + rows)).toEqual([{ playerId: 'ann', what }]);
});

it('sees an item that nobody was given', async () => {
  expect(await watched(row(1))).toEqual([{ playerId: 'ann', what: 'has 1 of snack while its log says 0' }]);
});

it('sees a stock below zero, also where log and row agree', async () => {
  const unchecked = 'alter table kibble.home drop constraint home_items_whole;';
  const below = await watched(unchecked + events(1, -2) + row(-1));
  expect(below).toEqual([{ playerId: 'ann', what: 'has -1 of snack while its log says -1' }]);
});
