import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';

/** Not in the types: the town imports Kibble as an installed package. */
const market = path.join(import.meta.dirname, '../../examples/town/market.ts');

it.each([true, false])(
  'a stall in the town publishes what its transaction saved, where the offer is taken: %s',
  async (ok) => {
    const { sellWood } = await import(pathToFileURL(market).href);
    let published = 0;
    const transaction = (work: (all: object) => Promise<unknown>) =>
      work({ tx: { query: async () => ({ rows: [{ id: '7' }] }) }, nowMs: 5, schedule: async () => [] });
    const afterCommit = () => {
      published += 1;
    };
    const homes = { take: async () => ({ outcomes: [{ ok }], afterCommit }) };
    const offer = { hero: 'ann', wood: 3, stallId: '7' };
    expect(await sellWood({ homes, timers: { transaction } }, offer)).toBe(ok);
    expect(published).toBe(1);
  },
);
