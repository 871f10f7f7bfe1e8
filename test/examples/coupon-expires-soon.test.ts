import { expect, it } from 'vitest';
import { openCoupons } from '../../examples/coupon-expires-soon.ts';
import { HOUR_MS, handCrankedGame } from '../support/game/hand-cranked-game.ts';

const tables = 'create table notice (player_id text, text text)';

it('tells the owner two hours before: not of a used coupon, later of an extended one', async () => {
  const { give, used, extend, nowMs, column, pass } = await handCrankedGame(tables, openCoupons);
  const expiresAtMs = nowMs() + 10 * HOUR_MS;
  const coupons = [
    { couponId: 'A', playerId: 'ann', expiresAtMs },
    { couponId: 'B', playerId: 'ann', expiresAtMs },
    { couponId: 'C', playerId: 'bea', expiresAtMs },
  ];
  await give('spring', coupons);
  await used('B');
  // The campaign is sent once more.
  await give('spring', coupons);
  await extend('order 7', 'C', 'bea', expiresAtMs + HOUR_MS);
  await pass(8 * HOUR_MS - 1);
  expect(await column('select text from notice')).toEqual([]);
  await pass(1);
  expect(await column('select text from notice')).toEqual(['Coupon A expires in two hours']);
  await pass(HOUR_MS);
  expect(await column('select player_id from notice order by player_id')).toEqual(['ann', 'bea']);
});

it('tells once more of a coupon that is extended after its notice, however often the extension is sent', async () => {
  const { give, extend, nowMs, column, pass } = await handCrankedGame(tables, openCoupons);
  const expiresAtMs = nowMs() + 10 * HOUR_MS;
  await give('spring', [{ couponId: 'A', playerId: 'ann', expiresAtMs }]);
  await pass(9 * HOUR_MS);
  const later = expiresAtMs + 24 * HOUR_MS;
  await extend('order 8', 'A', 'ann', later);
  await extend('order 8', 'A', 'ann', later);
  await pass(later - 2 * HOUR_MS - nowMs() - 1);
  expect(await column('select text from notice')).toHaveLength(1);
  await pass(1);
  await extend('order 8', 'A', 'ann', later);
  await pass(0);
  expect(await column('select text from notice')).toHaveLength(2);
});

it('extends to a day that was given before, was corrected, and is given again', async () => {
  const { give, extend, nowMs, column, pass } = await handCrankedGame(tables, openCoupons);
  const expiresAtMs = nowMs() + 10 * HOUR_MS;
  await give('spring', [{ couponId: 'A', playerId: 'ann', expiresAtMs }]);
  for (const [at, hours] of [2, 1, 2].entries())
    await extend(`request ${at}`, 'A', 'ann', expiresAtMs + hours * HOUR_MS);
  await pass(10 * HOUR_MS - 1);
  expect(await column('select text from notice')).toEqual([]);
  await pass(1);
  expect(await column('select text from notice')).toHaveLength(1);
});
