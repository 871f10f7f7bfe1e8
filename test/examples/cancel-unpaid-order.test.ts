import { expect, it } from 'vitest';
import { openShop } from '../../examples/cancel-unpaid-order.ts';
import { handCrankedGame, MINUTE_MS } from '../support/game/hand-cranked-game.ts';

const tables = 'create table purchase (id text primary key, player_id text, state text)';
const states = 'select state from purchase order by id';

it('cancels an order when ten minutes are over, and not a millisecond earlier', async () => {
  const { order, column, pass } = await handCrankedGame(tables, openShop);
  await order('1', 'ann');
  await pass(10 * MINUTE_MS - 1);
  expect(await column(states)).toEqual(['open']);
  await pass(1);
  expect(await column(states)).toEqual(['cancelled']);
});

it('leaves an order alone that was paid in time, and refuses a payment that is late', async () => {
  const { order, pay, column, pass } = await handCrankedGame(tables, openShop);
  await order('1', 'ann');
  await order('2', 'ann');
  expect([await pay('1'), await pay('1')]).toEqual([true, true]);
  // Its first answer was lost.
  await order('1', 'ann');
  await pass(10 * MINUTE_MS);
  expect([await pay('1'), await pay('2')]).toEqual([true, false]);
  expect(await column(states)).toEqual(['paid', 'cancelled']);
});
