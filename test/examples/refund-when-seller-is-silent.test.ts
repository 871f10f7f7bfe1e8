import { expect, it } from 'vitest';
import { openMarket } from '../../examples/refund-when-seller-is-silent.ts';
import { ownRetryDelaysMs } from '../../server/timer/fire/failure.ts';
import { HOUR_MS, handCrankedGame } from '../support/game/hand-cranked-game.ts';

/** A service that is down until the test repairs it. */
const brokenService = () => {
  const service = { isDown: true, keys: [] as string[] };
  const refund = async ({ key }: { key: string }) => {
    service.keys.push(key);
    if (service.isDown) throw new Error('no route to the bank');
    return { receipt: `receipt of ${key}` };
  };
  return { service, refund };
};

it('pays back when the seller is silent, not when the seller has acted', async () => {
  const { service, refund } = brokenService();
  service.isDown = false;
  const { sold, acted, receipt, pass } = await handCrankedGame('', (host) => openMarket(host, refund));
  await sold('1', 'sam');
  await sold('2', 'sam');
  expect(await acted('2')).toBe(true);
  await pass(6 * HOUR_MS);
  expect(service.keys).toEqual(['refund 1']);
  expect(await receipt('1')).toEqual({ receipt: `receipt of ${service.keys[0]}` });
  expect(await acted('1')).toBe(false);
  // The answer was lost, and the seller's app asks again after the due time.
  expect(await acted('2')).toBe(true);
});

it('pays nothing for a sale that a queue delivers again after the seller has acted', async () => {
  const { service, refund } = brokenService();
  const { sold, acted, pass } = await handCrankedGame('', (host) => openMarket(host, refund));
  await sold('1', 'sam');
  expect(await acted('1')).toBe(true);
  await sold('1', 'sam');
  await pass(7 * HOUR_MS);
  expect(service.keys).toEqual([]);
});

it('tells a seller who acts after the six hours that it is too late, though no answer of the bank has come', async () => {
  const { service, refund } = brokenService();
  const { sold, acted, receipt, pass } = await handCrankedGame('', (host) => openMarket(host, refund));
  await sold('1', 'sam');
  await sold('2', 'sam');
  expect([await acted('2'), await acted('2')]).toEqual([true, true]);
  await pass(6 * HOUR_MS);
  expect(await acted('1')).toBe(false);
  service.isDown = false;
  await pass(15_000);
  expect(await receipt('1')).toEqual({ receipt: `receipt of ${service.keys[0]}` });
  expect(new Set(service.keys).size).toBe(1);
});

it('asks a failing service again by the table, gives up, and pays once the timer is revived', async () => {
  const { service, refund } = brokenService();
  const game = await handCrankedGame('', (host) => openMarket(host, refund));
  await game.sold('1', 'sam');
  await game.pass(6 * HOUR_MS);
  for (const [failures, delayMs] of ownRetryDelaysMs.entries()) {
    await game.pass(delayMs - 1);
    expect(service.keys).toHaveLength(failures + 1);
    await game.pass(1);
  }
  expect(service.keys).toHaveLength(16);
  expect(new Set(service.keys).size).toBe(1);
  expect(await game.givenUp()).toEqual([{ orderId: '1', lastError: 'Error: no route to the bank' }]);

  service.isDown = false;
  await game.tryAgain(['1']);
  await game.pass(0);
  expect(await game.givenUp()).toEqual([]);
  expect(await game.receipt('1')).toEqual({ receipt: `receipt of ${service.keys[0]}` });
});
