import { expect, it } from 'vitest';
import { openTowns } from '../../examples/friend-helps.ts';
import { HOUR_MS, handCrankedGame } from '../support/game/hand-cranked-game.ts';

const game = async () => {
  const opened = await handCrankedGame('', openTowns);
  const { kibble, help } = opened;
  const build = async (playerId: string) => {
    const [placed] = await kibble.homes.handle([
      { playerId, type: 'town:place', payload: { commandId: 'a new hall', thing: 'hall' } },
    ]);
    expect(placed?.ok).toBe(true);
    const commandId = `build ${opened.nowMs()}`;
    await kibble.homes.handle([
      { playerId, type: 'town:start', payload: { commandId, thing: 'hall', activity: 'build' } },
    ]);
  };
  const home = async (playerId: string) => (await kibble.homes.look([playerId]))[0]?.home;
  const hearts = async (playerId: string) => (await home(playerId))?.items.heart ?? 0;
  const leftMs = async (playerId: string) => {
    const [timer] = await kibble.timers.listByOwner(playerId);
    return timer && timer.dueAtMs - opened.nowMs();
  };
  /** `helped`, or why not. */
  const asked = (id: string, helper: string, friend: string) =>
    help(`favour ${id}`, helper, friend).then(
      () => 'helped',
      (error: Error) => error.message,
    );
  await opened.pass(Date.parse('2026-10-24T12:00Z') - opened.nowMs());
  return { ...opened, build, home, hearts, leftMs, asked };
};

it('three times until the next midnight, and each is done once however often it is sent', async () => {
  const { build, asked, hearts, leftMs, pass, nowMs } = await game();
  await build('bob');
  expect([await asked('a', 'ann', 'bob'), await asked('a', 'ann', 'bob')]).toEqual(['helped', 'helped']);
  expect([await hearts('ann'), await leftMs('bob')]).toEqual([1, 3.5 * HOUR_MS]);
  for (const id of ['b', 'c']) expect(await asked(id, 'ann', 'bob')).toBe('helped');
  expect(await asked('d', 'ann', 'bob')).toBe('favours/enough');
  expect([await hearts('ann'), await leftMs('bob')]).toEqual([3, 2.5 * HOUR_MS]);
  await pass(Date.parse('2026-10-24T22:00Z') - nowMs());
  await build('cid');
  expect(await asked('e', 'ann', 'cid')).toBe('helped');
  // The night of 25 hours belongs to one day.
  await pass(24 * HOUR_MS);
  await build('cid');
  for (const id of ['f', 'g', 'h']) await asked(id, 'ann', 'cid');
  expect(await hearts('ann')).toBe(6);
});

it('nothing of it happens where there is nothing to be helped with', async () => {
  const { asked, hearts, home } = await game();
  expect(await asked('a', 'ann', 'bob')).toBe('thing/unknown');
  expect([await hearts('ann'), (await home('ann'))?.things, (await home('bob'))?.items]).toEqual([0, {}, {}]);
  expect(await asked('a', 'ann', 'bob')).toBe('thing/unknown');
});

it('nor where less than half an hour is left, and then the help is not used up', async () => {
  const { asked, build, pass, home, hearts } = await game();
  await build('bob');
  await pass(3.75 * HOUR_MS);
  expect(await asked('a', 'ann', 'bob')).toBe('card/would-waste');
  expect([await hearts('ann'), (await home('bob'))?.items]).toEqual([0, {}]);
});

it('two who help each other at the same time do not wait for ever', async () => {
  const { asked, build, hearts } = await game();
  await build('ann');
  await build('bob');
  const answers = await Promise.all([
    ...['a', 'b', 'c', 'd'].map((id) => asked(id, 'ann', 'bob')),
    ...['a', 'b', 'c', 'd'].map((id) => asked(`of bob: ${id}`, 'bob', 'ann')),
  ]);
  expect(answers.toSorted()).toEqual([...Array(2).fill('favours/enough'), ...Array(6).fill('helped')]);
  expect([await hearts('ann'), await hearts('bob')]).toEqual([3, 3]);
});
