import { expect, it } from 'vitest';
import { quests } from '../../examples/daily-quests.ts';
import { createKibble } from '../../server/kibble.ts';
import { DAY_MS, HOUR_MS, handCrankedGame } from '../support/game/hand-cranked-game.ts';

const ALL = ['feed', 'win', 'gift'] as const;

const game = async (timeZone = 'Europe/Berlin') => {
  const opened = await handCrankedGame('', (host) => ({
    kibble: createKibble({ ...host, playerId: ({ sub }) => sub, modules: [quests] }),
  }));
  let commands = 0;
  const say = async (type: 'quests:begin' | 'quests:finish', payload: object) => {
    const order = { playerId: 'ann', type, payload: { commandId: `command-${++commands}`, ...payload } } as never;
    const [outcome] = await opened.kibble.homes.handle([order]);
    return outcome?.ok ? 'done' : [outcome?.error.code, outcome?.error.params];
  };
  const to = (instant: string) => opened.pass(Date.parse(instant) - opened.nowMs());
  const finish = async (...quests: readonly string[]) => {
    for (const quest of quests) expect(await say('quests:finish', { quest })).toBe('done');
  };
  const home = async () => (await opened.kibble.homes.look(['ann']))[0]?.home;
  const streak = async () => (Object((await home())?.things.quests).daily as { streak: number }).streak;
  await to('2026-10-23T12:00Z');
  await say('quests:begin', { timeZone });
  return { ...opened, say, to, finish, home, streak };
};

it('a streak grows by one each day on which all is done, through the night of 25 hours', async () => {
  const { to, finish, streak, home } = await game();
  const nights = ['2026-10-23T21:59Z', '2026-10-24T21:59Z', '2026-10-25T22:59Z', '2026-10-26T22:59Z'];
  for (const [at, lastMinute] of nights.entries()) {
    await to(lastMinute);
    await finish(...ALL);
    expect(await streak()).toBe(at + 1);
  }
  expect((await home())?.items.gold).toBe(4 * 15 + 10 + 20 + 30 + 40);
});

it('a quest counts once a day, and the refusal says when there is a new one', async () => {
  const { finish, say, to } = await game();
  await finish('feed');
  const opensAt = Date.parse('2026-10-23T22:00Z');
  expect(await say('quests:finish', { quest: 'feed' })).toEqual(['quests/done-already', { opensAt }]);
  await to('2026-10-23T22:00Z');
  await finish('feed');
});

it('a day that is missed breaks the streak at its end, also while no server runs, by one event', async () => {
  const { finish, pass, to, streak, home } = await game('America/New_York');
  await finish(...ALL);
  await to('2026-10-25T03:59:59.999Z');
  expect(await streak()).toBe(1);
  await pass(1);
  expect(await streak()).toBe(0);
  const seq = (await home())?.seq;
  await pass(400 * DAY_MS + HOUR_MS);
  await finish('feed', 'win');
  expect([await streak(), (await home())?.seq]).toEqual([0, (seq ?? 0) + 2]);
  await finish('gift');
  expect(await streak()).toBe(1);
});

it('a time zone that does not exist is refused', async () => {
  const { say } = await game();
  expect(await say('quests:begin', { timeZone: 'Mars/Olympus' })).toMatchObject(['command/invalid', {}]);
  expect(await say('quests:begin', { timeZone: 'Asia/Tokyo' })).toMatchObject(['quests/begun-already', {}]);
});

it.each(['UTC', 'Asia/Kolkata', 'Asia/Calcutta', 'Europe/Kyiv'])('takes %s, as browsers name it', async (timeZone) => {
  const { finish, streak } = await game(timeZone);
  await finish(...ALL);
  expect(await streak()).toBe(1);
});
