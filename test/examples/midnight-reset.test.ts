import { expect, it } from 'vitest';
import { openQuests } from '../../examples/midnight-reset.ts';
import { DAY_MS, HOUR_MS, handCrankedGame } from '../support/game/hand-cranked-game.ts';

const tables =
  'create table quests (player text primary key, done int not null default 3, streak int not null default 0)';
const reset = (subject: string) => ({ kind: 'daily-reset', subject });

const game = async () => {
  const opened = await handCrankedGame(tables, openQuests);
  const to = (instant: string) => opened.pass(Date.parse(instant) - opened.nowMs());
  const play = () => opened.pool.query('update quests set done = 3');
  const doneOf = (player: string) => opened.column(`select done from quests where player = '${player}'`);
  const streakOf = (player: string) => opened.column(`select streak from quests where player = '${player}'`);
  return { ...opened, to, play, doneOf, streakOf };
};

it('resets each player at the own midnight, through the night of 25 hours', async () => {
  const { welcome, to, play, doneOf, streakOf, kibble } = await game();
  await to('2026-10-23T12:00Z');
  await welcome('ann', 'Europe/Berlin');
  await welcome('bob', 'Asia/Kolkata');
  await to('2026-10-23T18:29:59.999Z');
  expect(await doneOf('bob')).toEqual([3]);
  await to('2026-10-23T18:30Z');
  expect([await doneOf('bob'), await doneOf('ann')]).toEqual([[0], [3]]);
  for (const midnight of ['2026-10-23T22:00Z', '2026-10-24T22:00Z', '2026-10-25T23:00Z']) {
    await play();
    await to(new Date(Date.parse(midnight) - 1).toISOString());
    expect(await doneOf('ann')).toEqual([3]);
    await to(midnight);
    expect(await doneOf('ann')).toEqual([0]);
  }
  expect(await streakOf('ann')).toEqual([3]);
  expect(await kibble.timers.find([reset('ann')])).toMatchObject([
    { turn: 4, dueAtMs: Date.parse('2026-10-26T23:00Z') },
  ]);
});

it('resets once after days without a server, and knows how many nights that were', async () => {
  const { welcome, pass, play, to, doneOf, streakOf } = await game();
  await to('2026-10-23T12:00Z');
  await welcome('ann', 'Europe/Berlin');
  await to('2026-10-23T22:00Z');
  expect(await streakOf('ann')).toEqual([1]);
  await play();
  await pass(3 * DAY_MS + 12 * HOUR_MS);
  expect([await doneOf('ann'), await streakOf('ann')]).toEqual([[0], [0]]);
});

it('follows a player to another zone, and refuses one that does not exist', async () => {
  const { welcome, move, to, kibble, column } = await game();
  await to('2026-10-23T12:00Z');
  await welcome('ann', 'Europe/Berlin');
  await move('ann', 'America/St_Johns');
  expect(await kibble.timers.find([reset('ann')])).toMatchObject([{ dueAtMs: Date.parse('2026-10-24T02:30Z') }]);
  await expect(welcome('eve', 'Mars/Olympus')).rejects.toMatchObject({ code: 'timer/bad-time-zone' });
  expect(await column("select 1 from quests where player = 'eve'")).toEqual([]);
});

it('resets once a day, however often a player moves to where midnight is next', async () => {
  const { welcome, move, to, pass, pool, doneOf } = await game();
  await to('2026-10-23T12:30Z');
  await welcome('ann', 'Etc/UTC');
  let resets = 0;
  for (let hour = 12; hour < 36; hour += 1) {
    // Etc/GMT-5 is five hours ahead of UTC.
    const ahead = 23 - (hour % 24);
    const offset = ahead > 14 ? 24 - ahead : -ahead;
    await move('ann', `Etc/GMT${offset < 0 ? '' : '+'}${offset}`);
    await pass(HOUR_MS);
    if ((await doneOf('ann'))[0] === 0) resets += 1;
    await pool.query('update quests set done = 3');
  }
  expect(resets).toBe(1);
});

it('resets once a day for a player who works in another zone', async () => {
  const { welcome, move, pass, to, play, doneOf } = await game();
  await to('2026-10-23T08:00Z');
  await welcome('ann', 'Etc/UTC');
  for (let day = 0; day < 3; day += 1) {
    await move('ann', 'Etc/GMT-1');
    await pass(10 * HOUR_MS);
    await move('ann', 'Etc/UTC');
    expect(await doneOf('ann')).toEqual([3]);
    await pass(14 * HOUR_MS);
    expect(await doneOf('ann')).toEqual([0]);
    await play();
  }
});

it('lets a midnight that was due when the player moved come at the first one of the new zone', async () => {
  const { welcome, move, to, pass, kibble, doneOf, streakOf } = await game();
  await to('2026-10-23T12:00Z');
  await welcome('ann', 'Europe/Berlin');
  await kibble.timers.pauseKind('daily-reset');
  await to('2026-10-23T22:00:01Z');
  await move('ann', 'America/St_Johns');
  await kibble.timers.resumeKind('daily-reset');
  await pass(0);
  expect([await doneOf('ann'), await streakOf('ann')]).toEqual([[3], [0]]);
  await to('2026-10-24T02:30Z');
  expect([await doneOf('ann'), await streakOf('ann')]).toEqual([[0], [1]]);
});
