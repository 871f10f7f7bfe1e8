import { expect, it } from 'vitest';
import { openMarket } from '../../examples/daily-restock.ts';
import { DAY_MS, HOUR_MS, handCrankedGame } from '../support/game/hand-cranked-game.ts';

const tables = 'create table merchant (id text primary key, stock int not null, is_retired boolean default false)';
const restock = { kind: 'restock', subject: 'smith' };

it('restocks each day at the same time, in one row, and once after days without a server', async () => {
  const { open, earlier, kibble, column, nowMs, pass, pool } = await handCrankedGame(tables, openMarket);
  const startMs = nowMs();
  await open('smith');
  const sell = () => pool.query('update merchant set stock = 0');
  const stock = () => column('select stock from merchant');
  for (const day of [1, 2]) {
    await sell();
    await pass(DAY_MS - 1);
    expect(await stock()).toEqual([0]);
    await pass(1);
    expect(await stock()).toEqual([10]);
    expect(await kibble.timers.find([restock])).toMatchObject([
      { turn: day + 1, dueAtMs: startMs + (day + 1) * DAY_MS },
    ]);
  }
  await sell();
  await pass(3 * DAY_MS + HOUR_MS);
  expect(await kibble.timers.find([restock])).toMatchObject([{ turn: 4, dueAtMs: startMs + 6 * DAY_MS }]);
  expect(await earlier('smith', HOUR_MS)).toBe(true);
  await pass(DAY_MS - 2 * HOUR_MS);
  expect(await kibble.timers.find([restock])).toMatchObject([{ turn: 5, dueAtMs: startMs + 7 * DAY_MS - HOUR_MS }]);
  expect(await column('select count(*)::int from kibble.timer')).toEqual([1]);
});

it('ends with the merchant', async () => {
  const { open, kibble, column, pass, pool } = await handCrankedGame(tables, openMarket);
  await open('smith');
  await pool.query('update merchant set is_retired = true, stock = 0');
  await pass(DAY_MS);
  expect(await kibble.timers.find([restock])).toMatchObject([{ state: 'completed' }]);
  expect(await column('select stock from merchant')).toEqual([0]);
});
