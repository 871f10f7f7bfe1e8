import { expect, it } from 'vitest';
import { openOrders } from '../../examples/deadlines-from-a-table.ts';
import { DAY_MS, handCrankedGame } from '../support/game/hand-cranked-game.ts';

const tables = 'create table trade (id text primary key, state text)';
const states = 'select state from trade order by id';

it('confirms the receipt after seven days, and pays back after three of an open complaint', async () => {
  const { enter, column, pass } = await handCrankedGame(tables, openOrders);
  await enter('1', 'ann', 'sent');
  await enter('2', 'ann', 'complained');
  await pass(3 * DAY_MS - 1);
  expect(await column(states)).toEqual(['sent', 'complained']);
  await pass(1);
  expect(await column(states)).toEqual(['sent', 'refunded']);
  await pass(4 * DAY_MS);
  expect(await column(states)).toEqual(['received', 'refunded']);
});

it('changes no order that is in another state by then', async () => {
  const { kibble, enter, nowMs, column, pass } = await handCrankedGame(tables, openOrders);
  await enter('1', 'ann', 'received');
  // Left by a change that ran beside this one.
  const dueAtMs = nowMs() + 3 * DAY_MS;
  await kibble.timers.schedule([{ kind: 'service-overdue', subject: '1', owner: 'ann', dueAtMs }]);
  await pass(3 * DAY_MS);
  expect(await column(states)).toEqual(['received']);
});

it('begins the deadline of a state that another deadline has led to', async () => {
  const { enter, column, pass } = await handCrankedGame(tables, openOrders);
  await enter('1', 'ann', 'sent');
  await pass(7 * DAY_MS);
  expect(await column(states)).toEqual(['received']);
  await pass(14 * DAY_MS - 1);
  expect(await column(states)).toEqual(['received']);
  await pass(1);
  expect(await column(states)).toEqual(['rated']);
});

it('counts a state from its beginning, though an earlier deadline of it was left', async () => {
  const { kibble, enter, nowMs, column, pass } = await handCrankedGame(tables, openOrders);
  await enter('1', 'ann', 'sent');
  const dueAtMs = nowMs() + 14 * DAY_MS;
  await kibble.timers.schedule([{ kind: 'auto-rate', subject: '1', owner: 'ann', dueAtMs }]);
  await pass(7 * DAY_MS);
  await pass(7 * DAY_MS);
  expect(await column(states)).toEqual(['received']);
  await pass(7 * DAY_MS);
  expect(await column(states)).toEqual(['rated']);
});

it('counts anew from each state that an order enters', async () => {
  const { kibble, enter, column, pass } = await handCrankedGame(tables, openOrders);
  await enter('1', 'ann', 'sent');
  await pass(6 * DAY_MS);
  await enter('1', 'ann', 'complained', 'sent');
  await pass(2 * DAY_MS);
  expect(await column(states)).toEqual(['complained']);
  expect(await kibble.timers.listByOwner('ann')).toMatchObject([{ kind: 'service-overdue' }]);
  await pass(DAY_MS);
  expect(await column(states)).toEqual(['refunded']);
});

it('takes no order back that a deadline has moved on, and leaves its deadline alone', async () => {
  const { kibble, enter, column, pass } = await handCrankedGame(tables, openOrders);
  await enter('1', 'ann', 'sent');
  await pass(7 * DAY_MS);
  expect(await enter('1', 'ann', 'complained', 'sent')).toBe(false);
  expect(await column(states)).toEqual(['received']);
  expect(await kibble.timers.listByOwner('ann')).toMatchObject([{ kind: 'auto-rate' }]);
});
