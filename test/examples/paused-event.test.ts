import { expect, it } from 'vitest';
import { openExpeditions } from '../../examples/paused-event.ts';
import { HOUR_MS, handCrankedGame } from '../support/game/hand-cranked-game.ts';

const game = async () => {
  const returned: string[] = [];
  const calls: string[][] = [];
  const opened = await handCrankedGame('', (host) =>
    openExpeditions(host, async (expeditions) => {
      returned.push(...expeditions.map(({ playerId }) => playerId));
      calls.push(expeditions.map(({ expeditionId }) => expeditionId).sort());
    }),
  );
  await opened.send('1', 'ann', HOUR_MS);
  await opened.send('2', 'bea', HOUR_MS);
  await opened.send('3', 'ann', 10 * HOUR_MS);
  return { ...opened, returned, calls };
};

it('holds the expeditions of those who take part back, and lets what came due return at the end', async () => {
  const { begin, end, pass, returned } = await game();
  await begin(['ann']);
  await pass(2 * HOUR_MS);
  expect(returned).toEqual(['bea']);
  await end(['ann']);
  await pass(0);
  expect(returned).toEqual(['bea', 'ann']);
  await pass(8 * HOUR_MS);
  expect(returned).toEqual(['bea', 'ann', 'ann']);
});

it('gives them the time back that the event took, once, though its end is told twice', async () => {
  const { begin, endAsIfTimeStoodStill, pass, returned } = await game();
  await begin(['ann']);
  await pass(2 * HOUR_MS);
  for (let sent = 0; sent < 2; sent += 1) await endAsIfTimeStoodStill('spring', ['ann'], 2 * HOUR_MS);
  await pass(HOUR_MS - 1);
  expect(returned).toEqual(['bea']);
  await pass(1);
  expect(returned).toEqual(['bea', 'ann']);
});

it('gives it to the players of each page', async () => {
  const { begin, endAsIfTimeStoodStill, pass, returned } = await game();
  await begin(['ann', 'bea']);
  await pass(2 * HOUR_MS);
  for (const page of [['ann'], ['ann', 'bea'], ['bea']]) await endAsIfTimeStoodStill('spring', page, 2 * HOUR_MS);
  await pass(HOUR_MS - 1);
  expect(returned).toEqual([]);
  await pass(1);
  expect(returned.toSorted()).toEqual(['ann', 'bea']);
});

it('resumes nothing that a later event has paused, though its end is told once more', async () => {
  const { begin, send, endAsIfTimeStoodStill, pass, returned } = await game();
  await send('4', 'cid', 10 * HOUR_MS);
  await begin(['cid']);
  await pass(2 * HOUR_MS);
  await endAsIfTimeStoodStill('spring', ['cid'], 2 * HOUR_MS);
  await begin(['cid']);
  await endAsIfTimeStoodStill('spring', ['cid'], 2 * HOUR_MS);
  await pass(20 * HOUR_MS);
  expect(returned).not.toContain('cid');
});

it('resumes nothing of a player who had nothing paused when the end was sent first', async () => {
  const { begin, send, endAsIfTimeStoodStill, pass, returned } = await game();
  await endAsIfTimeStoodStill('spring', ['cid'], 2 * HOUR_MS);
  await send('4', 'cid', 10 * HOUR_MS);
  await begin(['cid']);
  await endAsIfTimeStoodStill('spring', ['cid'], 2 * HOUR_MS);
  await pass(20 * HOUR_MS);
  expect(returned).not.toContain('cid');
});

it('leaves an expedition alone that began during the event', async () => {
  const { begin, send, endAsIfTimeStoodStill, pass, returned } = await game();
  await begin(['ann']);
  await pass(HOUR_MS);
  await send('9', 'ann', 2 * HOUR_MS);
  await pass(HOUR_MS);
  for (let sent = 0; sent < 2; sent += 1) await endAsIfTimeStoodStill('spring', ['ann'], 2 * HOUR_MS);
  await pass(HOUR_MS);
  // 9, and 1, which had an hour left.
  expect(returned).toEqual(['bea', 'ann', 'ann']);
});

it('names both expeditions of one player that return at once', async () => {
  const { send, pass, calls } = await game();
  await send('5', 'ann', 10 * HOUR_MS);
  await pass(2 * HOUR_MS);
  calls.length = 0;
  await pass(8 * HOUR_MS);
  expect(calls).toEqual([['3', '5']]);
});
