import { expect, it } from 'vitest';
import { openAuctions } from '../../examples/auction.ts';
import { HOUR_MS, handCrankedGame } from '../support/game/hand-cranked-game.ts';

const MINUTE_MS = 60_000;

const game = async () => {
  const sold: unknown[] = [];
  const opened = await handCrankedGame('', (host) => openAuctions(host, async (id, bid) => sold.push([id, bid])));
  await opened.open('sword', 'ann', HOUR_MS);
  return { ...opened, sold };
};

it('goes to the highest bid, and goes on for five minutes after a late one', async () => {
  const { bid, pass, sold } = await game();
  expect(await bid('sword', { bidder: 'bea', gold: 10 })).toBe('leads');
  // Sent again after a lost answer.
  expect(await bid('sword', { bidder: 'bea', gold: 10 })).toBe('leads');
  await pass(58 * MINUTE_MS);
  const [first, second] = await Promise.all([
    bid('sword', { bidder: 'cid', gold: 12 }),
    bid('sword', { bidder: 'dan', gold: 12 }),
  ]);
  expect([first, second].sort()).toEqual(['leads', 'too-low']);
  await pass(5 * MINUTE_MS - 1);
  expect(sold).toEqual([]);
  await pass(1);
  expect(sold).toEqual([['sword', { bidder: first === 'leads' ? 'cid' : 'dan', gold: 12 }]]);
  expect(await bid('sword', { bidder: 'eve', gold: 99 })).toBe('over');
});

it('ends without a buyer where nobody bids', async () => {
  const { bid, pass, sold } = await game();
  expect(await bid('shield', { bidder: 'bea', gold: 10 })).toBe('over');
  await pass(HOUR_MS);
  expect(sold).toEqual([['sword', null]]);
});

it('pays each buyer once, though one sale fails for a while', async () => {
  let faulty = 'b';
  const tables = 'create table sale (auction text)';
  const { open, column, pass } = await handCrankedGame(tables, (host) =>
    openAuctions(host, async (id, _bid, tx) => {
      await tx.query('insert into sale values ($1)', [id]);
      if (id === faulty) throw new Error('no such item');
    }),
  );
  for (const id of ['a', 'b', 'c']) await open(id, 'ann', HOUR_MS);
  // Told twice.
  await open('a', 'ann', HOUR_MS);
  await pass(HOUR_MS);
  expect(await column('select auction from sale order by 1')).toEqual(['a', 'c']);
  faulty = '';
  await pass(HOUR_MS);
  expect(await column('select auction from sale order by 1')).toEqual(['a', 'b', 'c']);
});

it('refuses late bids without another attempt at a sale that fails', async () => {
  const { open, bid, pass, kibble } = await handCrankedGame('', (host) =>
    openAuctions(host, async () => {
      throw new Error('no such item');
    }),
  );
  await open('sword', 'ann', HOUR_MS);
  await pass(HOUR_MS);
  const [failed] = await kibble.timers.find([{ kind: 'auction', subject: 'sword' }]);
  expect(failed).toMatchObject({ state: 'scheduled', attempt: 1 });
  for (const gold of [1, 2, 3]) expect(await bid('sword', { bidder: 'bea', gold })).toBe('over');
  expect(await kibble.timers.find([{ kind: 'auction', subject: 'sword' }])).toEqual([failed]);
});
