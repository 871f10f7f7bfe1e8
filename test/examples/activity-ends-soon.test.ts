import { expect, it } from 'vitest';
import { openActivities } from '../../examples/activity-ends-soon.ts';
import { DAY_MS, HOUR_MS, handCrankedGame } from '../support/game/hand-cranked-game.ts';

const tables = `create table activity (id text primary key, told_up_to text);
  create table participant (activity_id text, player_id text, primary key (activity_id, player_id))`;
const join = (players: number) =>
  `insert into participant select 'race', 'player ' || lpad(n::text, 4, '0') from generate_series(1, ${players}) n`;

it('tells 1200 players in three pages, and repeats only the page that failed', async () => {
  const pages: number[] = [];
  const told = new Set<string>();
  const pushAll = async (playerIds: readonly string[]) => {
    pages.push(playerIds.length);
    if (pages.length === 2) throw new Error('the push service is down');
    for (const playerId of playerIds) told.add(playerId);
  };
  const { announce, pool, nowMs, pass } = await handCrankedGame(tables, (host) => openActivities(host, pushAll));
  await pool.query(join(1200));
  await announce('race', nowMs() + DAY_MS);
  await pass(22 * HOUR_MS - 1);
  expect(pages).toEqual([]);
  await pass(1);
  expect(pages).toEqual([500, 500]);
  await pass(15_000);
  expect(pages).toEqual([500, 500, 500, 200]);
  expect(told.size).toBe(1200);
});

it('tells all of a long list, though the push service is down once at each of its pages', async () => {
  const sent = new Map<string | undefined, number>();
  const pushAll = async ([first]: readonly string[]) => {
    const times = (sent.get(first) ?? 0) + 1;
    sent.set(first, times);
    if (times === 1) throw new Error('the push service is down');
  };
  const { announce, kibble, pool, nowMs, pass } = await handCrankedGame(tables, (host) =>
    openActivities(host, pushAll),
  );
  await pool.query(join(9_500));
  await announce('race', nowMs() + DAY_MS);
  await pass(22 * HOUR_MS);
  for (let page = 0; page < 19; page += 1) await pass(15_000);
  expect([...sent.values()]).toEqual(Array(19).fill(2));
  expect(await kibble.timers.find([{ kind: 'activity-ends-soon', subject: 'race' }])).toMatchObject([
    { state: 'completed', turn: 20 },
  ]);
});
