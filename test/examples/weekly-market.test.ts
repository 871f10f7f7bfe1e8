import { expect, it } from 'vitest';
import { openMarkets } from '../../examples/weekly-market.ts';
import { handCrankedGame } from '../support/game/hand-cranked-game.ts';

const tables =
  "create table market (city text primary key, is_open boolean not null); insert into market values ('Oslo', false)";

const game = async (weeks: number) => {
  const opened = await handCrankedGame(tables, openMarkets);
  const to = (instant: string) => opened.pass(Date.parse(instant) - opened.nowMs());
  await to('2026-10-20T12:00Z');
  await opened.found('Oslo', 'Europe/Oslo', weeks);
  const find = async () => (await opened.kibble.timers.find([{ kind: 'market-opens', subject: 'Oslo' }]))[0];
  return { ...opened, to, find, isOpen: () => opened.column('select is_open from market') };
};

it('opens on Saturdays at 10 on the wall, in summer time and in winter time, and closes after two days', async () => {
  const { to, isOpen } = await game(10);
  await to('2026-10-24T07:59:59.999Z');
  expect(await isOpen()).toEqual([false]);
  await to('2026-10-24T08:00Z');
  expect(await isOpen()).toEqual([true]);
  await to('2026-10-26T08:00Z');
  expect(await isOpen()).toEqual([false]);
  await to('2026-10-31T08:59:59.999Z');
  expect(await isOpen()).toEqual([false]);
  await to('2026-10-31T09:00Z');
  expect(await isOpen()).toEqual([true]);
});

it('stays closed in a week in which it could not be opened in time, and that week counts', async () => {
  const { to, isOpen, find } = await game(3);
  await to('2026-10-24T09:00:00.001Z');
  expect(await isOpen()).toEqual([false]);
  expect(await find()).toMatchObject({ state: 'scheduled', turn: 2, dueAtMs: Date.parse('2026-10-31T09:00Z') });
  await to('2026-10-31T09:59Z');
  expect(await isOpen()).toEqual([true]);
  // The close: at one moment with the next opening, the one that comes second would have to wait.
  await to('2026-11-02T09:00Z');
  expect(await isOpen()).toEqual([false]);
  await to('2026-11-07T09:00Z');
  expect(await find()).toMatchObject({ state: 'completed', turn: 3 });
});

it('is open for its two days although the close of the week before is still due', async () => {
  const { to, isOpen, kibble, pass } = await game(3);
  await to('2026-10-24T08:00Z');
  await kibble.timers.pauseKind('market-closes');
  await to('2026-10-31T09:30Z');
  await kibble.timers.resumeKind('market-closes');
  await pass(0);
  expect(await isOpen()).toEqual([true]);
  await to('2026-11-02T09:00Z');
  expect(await isOpen()).toEqual([false]);
});

it('stays closed when its opening failed and the retry comes more than an hour late', async () => {
  const { to, isOpen, find, pool } = await game(3);
  await pool.query('alter table market rename to away');
  await to('2026-10-24T08:00Z');
  await pool.query('alter table away rename to market');
  await to('2026-10-24T09:30Z');
  expect(await isOpen()).toEqual([false]);
  expect(await find()).toMatchObject({ state: 'scheduled', turn: 2, dueAtMs: Date.parse('2026-10-31T09:00Z') });
});
