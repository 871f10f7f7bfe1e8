import { expect, it } from 'vitest';
import { openTown } from '../../examples/buildings.ts';
import { HOUR_MS, handCrankedGame } from '../support/game/hand-cranked-game.ts';

const tables = 'create table building (id text primary key, player_id text, site jsonb)';
const unfinished = 'select id from building where site is not null order by id';

it('has no third builder until one of the two is free', async () => {
  const { build, column, pass } = await handCrankedGame(tables, openTown);
  expect(await Promise.all([build('mill', 'ann', 4), build('well', 'ann', 2), build('barn', 'ann', 1)])).toContain(
    false,
  );
  expect(await column(unfinished)).toHaveLength(2);
  await pass(4 * HOUR_MS);
  expect(await column(unfinished)).toEqual([]);
  expect(await build('tower', 'ann', 1)).toBe(true);
});

it('is finished an hour earlier by an hour of double pace, and by each gem', async () => {
  const { build, boost, gem, column, pass } = await handCrankedGame(tables, openTown);
  await build('mill', 'ann', 4);
  await pass(HOUR_MS / 2);
  expect(await boost('mill')).toBe(true);
  expect(await gem('mill')).toBe(true);
  await pass(1.5 * HOUR_MS - 1);
  expect(await column(unfinished)).toEqual(['mill']);
  await pass(1);
  expect(await column(unfinished)).toEqual([]);
  expect(await gem('mill')).toBe(false);
});
