import { expect, it } from 'vitest';
import { openReviews } from '../../examples/auto-review.ts';
import { DAY_MS, handCrankedGame } from '../support/game/hand-cranked-game.ts';

const tables = 'create table review (order_id text primary key, stars integer)';
const stars = 'select stars from review order by order_id';

it('gives five stars after 48 hours, unless the buyer was quicker', async () => {
  const { kibble, delivered, review, column, pass } = await handCrankedGame(tables, openReviews);
  await delivered('1', 'ann');
  await delivered('2', 'ann');
  expect([await review('2', 3), await review('2', 3), await review('2', 4)]).toEqual([true, true, false]);
  await delivered('2', 'ann');
  await pass(2 * DAY_MS);
  expect(await column(stars)).toEqual([5, 3]);
  expect(await review('1', 1)).toBe(false);
  expect(await kibble.timers.listDead(['auto-review'])).toEqual([]);
});

it('waits a day longer for each time that the buyer asks, also at once', async () => {
  const { delivered, moreTime, column, pass } = await handCrankedGame(tables, openReviews);
  await delivered('1', 'ann');
  expect(await Promise.all([moreTime('1', 'a'), moreTime('1', 'b')])).toEqual([true, true]);
  await pass(4 * DAY_MS - 1);
  expect(await column(stars)).toEqual([]);
  await pass(1);
  expect(await column(stars)).toEqual([5]);
  expect(await moreTime('1', 'c')).toBe(false);
});

it('waits one day longer for a request that is sent again after a lost answer', async () => {
  const { delivered, moreTime, column, pass } = await handCrankedGame(tables, openReviews);
  await delivered('1', 'ann');
  expect([await moreTime('1', 'a'), await moreTime('1', 'a')]).toEqual([true, true]);
  await pass(3 * DAY_MS - 1);
  expect(await column(stars)).toEqual([]);
  await pass(1);
  expect(await column(stars)).toEqual([5]);
  expect(await moreTime('1', 'a')).toBe(true);
});
