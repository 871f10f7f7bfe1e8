import { expect, it } from 'vitest';
import { Loop } from '../../server/runtime/loop.ts';
import { ManualClock } from '../../server/runtime/manual-clock.ts';
import { Leader } from '../../server/timer/leader.ts';
import { silentLog } from '../support/log/logs.ts';

const makeScene = () => {
  const clock = new ManualClock(0);
  const lock = { isHeld: false, isReleased: false, mayRun: true, asked: 0 };
  const exclusive = {
    tryLock: async () => {
      lock.asked += 1;
      return lock.isHeld;
    },
    release: async () => {
      lock.isReleased = true;
    },
    mayRun: () => lock.mayRun,
  };
  const makeLoop = (name: string, tick: (signal: AbortSignal) => Promise<number>) =>
    new Loop({ name, tick, clock, log: silentLog });
  const leader = new Leader({ exclusive, makeLoop });
  const turns: string[] = [];
  for (const name of ['sweep', 'prune']) {
    leader.add(name, async () => {
      turns.push(name);
      return 10_000;
    });
  }
  return { clock, lock, leader, turns };
};
const settled = () => new Promise((resolve) => setImmediate(resolve));

it('does nothing while another process leads, and asks for the lock each second', async () => {
  const { clock, lock, leader, turns } = makeScene();
  leader.start();
  await settled();
  expect(turns).toEqual([]);
  expect(lock.asked, 'once for both chores').toBe(1);
  lock.isHeld = true;
  clock.advance(999);
  await settled();
  expect(turns).toEqual([]);
  clock.advance(1);
  await settled();
  expect(turns.toSorted()).toEqual(['prune', 'sweep']);
  expect(await leader.leads()).toBe(true);
  await leader.stop();
});

it('ends the turns that run, and only then lets go of the lock', async () => {
  const { clock, lock, leader, turns } = makeScene();
  lock.isHeld = true;
  leader.start();
  await settled();
  await leader.stop();
  expect(lock.isReleased).toBe(false);
  clock.advance(60_000);
  await settled();
  expect(turns).toHaveLength(2);
  await leader.release();
  expect(lock.isReleased).toBe(true);
});

it('runs what a chore has for processes that do not lead, until it leads, with the signal of its end', async () => {
  const { clock, lock, leader } = makeScene();
  const turns: string[] = [];
  const signals: AbortSignal[] = [];
  const turn = (name: string) => async (signal: AbortSignal) => {
    turns.push(name);
    signals.push(signal);
    return 100;
  };
  leader.add('sweep', turn('leads'), turn('beside'));
  leader.start();
  await settled();
  expect(turns).toEqual(['beside']);
  lock.isHeld = true;
  clock.advance(100);
  await settled();
  expect(turns).toEqual(['beside', 'leads']);
  lock.isHeld = false;
  clock.advance(100);
  await settled();
  expect(turns).toEqual(['beside', 'leads', 'beside']);
  lock.mayRun = false;
  clock.advance(100);
  await settled();
  expect(turns, 'a process without the right to run').toHaveLength(3);
  await leader.stop();
  clock.advance(1000);
  await settled();
  expect(turns).toHaveLength(3);
  expect(signals.every(({ aborted }) => aborted)).toBe(true);
});
