import { expect, it } from 'vitest';
import { openMatches } from '../../examples/match-clock.ts';
import { ManualClock, silent } from '../../server/kibble.ts';
import { HOUR_MS, handCrankedGame } from '../support/game/hand-cranked-game.ts';

const SECOND_MS = 1000;
const tables = `create table matches (id text primary key, loser text);
                create table moves (match text references matches, ply int, player text, move text not null, primary key (match, ply))`;

const game = async () => {
  const opened = await handCrankedGame(tables, (host) => openMatches(host, 60 * SECOND_MS, 5 * SECOND_MS));
  await opened.begin('m', 'ann', 'bob');
  const loser = async () => (await opened.column('select loser from matches'))[0];
  const moves = () => opened.column('select move from moves order by ply');
  const dueInMs = async () => {
    const [timer] = await opened.kibble.timers.find([{ kind: 'flag', subject: 'm' }]);
    return (timer?.dueAtMs ?? 0) - opened.nowMs();
  };
  return { ...opened, loser, moves, dueInMs };
};

it('gives who moves the increment, and who has no time left has lost, at the millisecond', async () => {
  const { pass, move, loser, moves, dueInMs } = await game();
  await pass(20 * SECOND_MS);
  expect(await move('m', 'ann', 1, 'e4')).toBe('moved');
  expect(await move('m', 'ann', 2, 'd4')).toBe('not-now');
  expect(await dueInMs()).toBe(60 * SECOND_MS);
  await pass(59 * SECOND_MS);
  expect(await move('m', 'bob', 2, 'e5')).toBe('moved');
  expect(await dueInMs()).toBe(45 * SECOND_MS);
  expect(await move('m', 'ann', 3, 'Nf3')).toBe('moved');
  expect(await dueInMs()).toBe(6 * SECOND_MS);
  await pass(6 * SECOND_MS - 1);
  expect(await loser()).toBeNull();
  await pass(1);
  expect(await loser()).toBe('bob');
  expect(await move('m', 'bob', 4, 'Nc6')).toBe('over');
  expect(await moves()).toEqual(['e4', 'e5', 'Nf3']);
});

it('a move that cannot be written takes no time of anybody', async () => {
  const { pass, move, dueInMs, moves } = await game();
  await pass(10 * SECOND_MS);
  await expect(move('m', 'ann', 1, null as never)).rejects.toThrow('null value');
  expect([await dueInMs(), await moves()]).toEqual([50 * SECOND_MS, []]);
  expect(await move('m', 'ann', 1, 'e4')).toBe('moved');
});

it('a move that is sent again after a lost answer is made once, also after the reply to it', async () => {
  const { pass, move, moves, dueInMs } = await game();
  expect(await move('m', 'ann', 1, 'e4')).toBe('moved');
  expect(await move('m', 'ann', 1, 'e4')).toBe('made-before');
  expect(await move('m', 'bob', 2, 'e5')).toBe('moved');
  await pass(SECOND_MS);
  expect(await move('m', 'ann', 1, 'e4')).toBe('made-before');
  expect([await moves(), await dueInMs()]).toEqual([['e4', 'e5'], 64 * SECOND_MS]);
});

it('of two moves at once one is made', async () => {
  const { move, moves } = await game();
  const answers = await Promise.all(['e4', 'd4', 'c4'].map((one) => move('m', 'ann', 1, one)));
  expect(answers.toSorted()).toEqual(['made-before', 'made-before', 'moved']);
  expect((await moves()).length).toBe(1);
});

it('stands still while it is paused, however long', async () => {
  const { pass, move, pause, resume, loser, dueInMs } = await game();
  await pass(45 * SECOND_MS);
  expect(await pause('m')).toBe('paused');
  await pass(9 * HOUR_MS);
  expect([await loser(), await move('m', 'ann', 1, 'e4')]).toEqual([null, 'not-now']);
  // Paused twice, resumed twice: as once.
  expect(await pause('m')).toBe('paused');
  expect(await resume('m')).toBe('resumed');
  expect(await resume('m')).toBe('resumed');
  expect(await dueInMs()).toBe(15 * SECOND_MS);
  await pass(15 * SECOND_MS);
  expect(await loser()).toBe('ann');
});

it('runs on while no process is there: the next one ends the match, or finds what is left', async () => {
  const { pass, move, begin, kibble, pool, nowMs, column } = await game();
  await begin('long', 'cid', 'dan');
  await pass(10 * SECOND_MS);
  await move('long', 'cid', 1, 'e4');
  await kibble.lifecycle.shutdown();
  const clock = new ManualClock(nowMs() + 51 * SECOND_MS);
  const next = openMatches({ pool, clock, ...{ log: silent } }, 60 * SECOND_MS, 5 * SECOND_MS);
  await next.kibble.lifecycle.boot();
  await next.kibble.runDue();
  expect(await column('select loser from matches order by id')).toEqual([null, 'ann']);
  expect(await next.move('long', 'dan', 2, 'e5')).toBe('moved');
  expect(await next.kibble.timers.find([{ kind: 'flag', subject: 'long' }])).toMatchObject([
    { dueAtMs: clock.nowMs() + 55 * SECOND_MS, payload: { toMove: 'cid', waitsLeftMs: 14 * SECOND_MS } },
  ]);
  await next.kibble.lifecycle.shutdown();
});

it('refuses late moves without another attempt at a flag that fails', async () => {
  const { begin, pool, pass, move, kibble } = await game();
  await pool.query(`alter table matches add check (loser is distinct from 'cid')`);
  await begin('bad', 'cid', 'dan');
  await pass(60 * SECOND_MS);
  const [failed] = await kibble.timers.find([{ kind: 'flag', subject: 'bad' }]);
  expect(failed).toMatchObject({ state: 'scheduled', attempt: 1 });
  for (const text of ['e4', 'd4', 'c4']) expect(await move('bad', 'cid', 1, text)).toBe('over');
  expect(await kibble.timers.find([{ kind: 'flag', subject: 'bad' }])).toEqual([failed]);
});
