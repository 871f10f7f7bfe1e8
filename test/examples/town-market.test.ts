import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';

/** Not in the types: the town imports Kibble as an installed package. */
const market = path.join(import.meta.dirname, '../../examples/town/market.ts');

const offer = { hero: 'ann', wood: 3, stallId: '7' };

type Stalls = readonly { readonly id: string }[];
interface Before {
  /** The hero's stalls with this id when the sale begins. */
  readonly stalls?: Stalls;
  /** The same after the take, if another transaction has made the stall meanwhile. */
  readonly meanwhile?: Stalls;
}

/** Sells where the hero's home answers so. `published`: how often the commit was published. */
const sell = async (outcome: object, { stalls = [], meanwhile }: Before = {}) => {
  const { sellWood } = await import(pathToFileURL(market).href);
  let published = 0;
  let takes = 0;
  const query = async (sql: string) => {
    if (sql.startsWith('insert')) return { rows: meanwhile ? [] : [{ id: '7' }] };
    return { rows: takes === 0 ? stalls : meanwhile };
  };
  const transaction = (work: (all: object) => Promise<unknown>) =>
    work({ tx: { query }, nowMs: 5, schedule: async () => [] });
  const afterCommit = () => {
    published += 1;
  };
  const take = async () => {
    takes += 1;
    return { outcomes: [outcome], afterCommit };
  };
  return { isOffered: await sellWood({ homes: { take }, timers: { transaction } }, offer), published, takes };
};

const tooLittle = { ok: false, error: { code: 'item/out-of-stock', params: {}, retryable: false } };

it.each([
  { outcome: { ok: true }, isOffered: true },
  { outcome: tooLittle, isOffered: false },
])('a stall in the town publishes what its transaction saved: $isOffered', async ({ outcome, isOffered }) => {
  expect(await sell(outcome)).toEqual({ isOffered, published: 1, takes: 1 });
});

it('a stall in the town does not say that wood is missing while the server cannot tell', async () => {
  const away = { ok: false, error: { code: 'server/unavailable', params: {}, retryable: true } };
  await expect(sell(away)).rejects.toThrow('server/unavailable');
});

it('a stall in the town takes no wood again when its sale is sent again, however late', async () => {
  expect(await sell(tooLittle, { stalls: [{ id: '7' }] })).toEqual({ isOffered: true, published: 0, takes: 0 });
});

it('a stall in the town is offered by both of two equal sales at once, and by no sale of another hero', async () => {
  expect(await sell({ ok: true }, { meanwhile: [{ id: '7' }] })).toMatchObject({ isOffered: true });
  await expect(sell({ ok: true }, { meanwhile: [] })).rejects.toThrow('7 is the stall of another hero');
});
