import { describe, expect, it, vi } from 'vitest';
import { DAY_MS, makeScene, NOW_MS, timesOf } from './sweeper-scene.ts';

it('fires what is overdue while the index lacks timers, and asks again 0.1 s later', async () => {
  const { sweeper, batches, lose, swept } = await makeScene({ isAway: true });
  const [timer] = await lose(['ann']);
  expect(await sweeper.tick()).toBe(100);
  expect(batches).toEqual([[timer?.id]]);
  expect(swept()).toBe(1);
});

it('fires what is overdue while the index does not respond, though it was whole', async () => {
  const { sweeper, batches, lose, availability } = await makeScene();
  const [timer] = await lose(['ann']);
  availability.isAvailable = false;
  expect(await sweeper.tick()).toBe(100);
  expect(batches).toEqual([[timer?.id]]);
});

it('fires nothing before it is due', async () => {
  const { clock, sweeper, batches, lose } = await makeScene({ isAway: true });
  const [timer] = await lose(['ann'], { dueAtMs: NOW_MS + 1 });
  await sweeper.tick();
  expect(batches).toEqual([]);
  clock.advance(1);
  await sweeper.tick();
  expect(batches).toEqual([[timer?.id]]);
});

it('fires a row again a second later, and no sooner, when it is overdue still', async () => {
  const { clock, sweeper, batches, lose } = await makeScene({ isAway: true });
  const [timer] = await lose(['ann']);
  await sweeper.tick();
  clock.advance(999);
  await sweeper.tick();
  expect(batches).toEqual([[timer?.id]]);
  clock.advance(1);
  await sweeper.tick();
  expect(batches).toEqual([[timer?.id], [timer?.id]]);
});

it('fires no kinds of other processes, and no paused ones', async () => {
  const { store, sweepFor, batches, lose } = await makeScene({ isAway: true });
  await lose(['ann'], { kind: 'hint' });
  await lose(['ann']);
  await store.setPaused('order', true);
  await sweepFor(1000);
  expect(batches).toEqual([]);
});

it('takes in 5,000 rows a turn, the next of them at once, a hundred in a batch', async () => {
  const { sweeper, batches, lose } = await makeScene({ isAway: true });
  const timers = await lose(Array.from({ length: 5050 }, (_, at) => `player-${at}`));
  expect(await sweeper.tick()).toBe(0);
  expect(batches.map(({ length }) => length)).toEqual(Array.from({ length: 50 }, () => 100));
  expect(await sweeper.tick()).toBe(100);
  expect(batches.slice(50).map(({ length }) => length)).toEqual([50]);
  expect(new Set(batches.flat())).toEqual(new Set(timers.map(({ id }) => id)));
});

it('takes in no more batches once it is asked to end', async () => {
  const ending = new AbortController();
  const { sweeper, batches, lose } = await makeScene({ isAway: true, onTake: () => ending.abort() });
  await lose(Array.from({ length: 300 }, (_, at) => `player-${at}`));
  await sweeper.tick(ending.signal);
  expect(batches).toHaveLength(1);
});

it('knows, when it begins to lead, since when the index is whole: the other processes look each second', async () => {
  const { clock, index, sweeper, rebuilder, batches, lose } = await makeScene({ isAway: true });
  const timers = await lose(['ann']);
  expect(await sweeper.refresh()).toBe(1000);
  rebuilder.isNeeded = false;
  clock.advance(5000);
  expect(await sweeper.refresh()).toBe(1000);
  expect((await timesOf(index, timers)).size).toBe(0);
  expect(await sweeper.tick()).toBe(1000);
  expect((await timesOf(index, timers)).size).toBe(1);
  expect(batches).toEqual([]);
});

it('gives an index that became whole two seconds before it puts what was overdue by then', async () => {
  const { clock, index, sweeper, rebuilder, lose } = await makeScene({ isAway: true });
  const timers = await lose(['ann'], { kind: 'hint', dueAtMs: NOW_MS - DAY_MS });
  const isPut = async (): Promise<boolean> => (await timesOf(index, timers)).size === 1;
  await sweeper.tick();
  rebuilder.isNeeded = false;
  clock.advance(1999);
  expect(await sweeper.tick()).toBe(1000);
  expect(await isPut()).toBe(false);
  clock.advance(1);
  expect(await sweeper.tick()).toBe(1000);
  expect(await isPut()).toBe(true);
});

it('by hand it takes in all that was overdue then, from the first row on, and says how many nobody was at work on', async () => {
  const { clock, sweeper, batches, lose } = await makeScene({ isAway: true });
  const timers = await lose(Array.from({ length: 5050 }, (_, at) => `player-${at}`));
  await lose(['ann'], { dueAtMs: NOW_MS + 1 });
  clock.advance(1);
  // A turn of the loop ends in the middle.
  await sweeper.tick();
  batches.length = 0;
  expect(await sweeper.sweep(NOW_MS)).toBe(5050);
  expect(new Set(batches.flat())).toEqual(new Set(timers.map(({ id }) => id)));
});

describe('a process that does not lead, while the index is away', () => {
  it('fires rows of its own kinds that are overdue by two seconds, and looks again a second later', async () => {
    const { clock, sweeper, batches, lose } = await makeScene({ isAway: true });
    const [timer] = await lose(['ann']);
    await lose(['ann'], { kind: 'hint' });
    clock.advance(1999);
    expect(await sweeper.besideLeader()).toBe(1000);
    expect(batches).toEqual([]);
    clock.advance(1);
    expect(await sweeper.besideLeader()).toBe(1000);
    expect(batches).toEqual([[timer?.id]]);
  });

  it('takes in 5,000 rows a turn, the next of them 0.05 s later, and no more batches once it is asked to end', async () => {
    const ending = new AbortController();
    const { clock, sweeper, batches, lose } = await makeScene({
      isAway: true,
      onTake: () => batches.length > 50 && ending.abort(),
    });
    await lose(Array.from({ length: 5300 }, (_, at) => `player-${at}`));
    clock.advance(2000);
    expect(await sweeper.besideLeader(ending.signal)).toBe(50);
    expect(batches).toHaveLength(50);
    expect(await sweeper.besideLeader(ending.signal)).toBe(1000);
    expect(batches).toHaveLength(51);
  });

  it('reads no rows when the index is whole, and begins with the first row when it is away again', async () => {
    const { clock, store, sweeper, rebuilder, batches, lose } = await makeScene({ isAway: true });
    const [first] = await lose(Array.from({ length: 5050 }, (_, at) => `player-${at}`));
    clock.advance(2000);
    expect(await sweeper.besideLeader()).toBe(50);
    rebuilder.isNeeded = false;
    const reads = vi.spyOn(store, 'overdue');
    expect(await sweeper.besideLeader()).toBe(1000);
    expect(reads).not.toHaveBeenCalled();
    rebuilder.isNeeded = true;
    clock.advance(1000);
    batches.length = 0;
    await sweeper.besideLeader();
    expect(batches[0]?.[0]).toBe(first?.id);
  });
});
