import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';

/** Not in the types: the town imports Kibble as an installed package. */
const market = path.join(import.meta.dirname, '../../examples/town/market.ts');

const offer = { hero: 'ann', wood: 3, stallId: '7' };

/** Sells where the hero's home answers so. `published`: how often the commit was published. */
const sell = async (outcome: object) => {
  const { sellWood } = await import(pathToFileURL(market).href);
  let published = 0;
  const transaction = (work: (all: object) => Promise<unknown>) =>
    work({ tx: { query: async () => ({ rows: [{ id: '7' }] }) }, nowMs: 5, schedule: async () => [] });
  const afterCommit = () => {
    published += 1;
  };
  const homes = { take: async () => ({ outcomes: [outcome], afterCommit }) };
  return { isOffered: await sellWood({ homes, timers: { transaction } }, offer), published };
};

const tooLittle = { ok: false, error: { code: 'item/out-of-stock', params: {}, retryable: false } };

it.each([
  { outcome: { ok: true }, isOffered: true },
  { outcome: tooLittle, isOffered: false },
])('a stall in the town publishes what its transaction saved: $isOffered', async ({ outcome, isOffered }) => {
  expect(await sell(outcome)).toEqual({ isOffered, published: 1 });
});

it('a stall in the town does not say that wood is missing while the server cannot tell', async () => {
  const away = { ok: false, error: { code: 'server/unavailable', params: {}, retryable: true } };
  await expect(sell(away)).rejects.toThrow('server/unavailable');
});
