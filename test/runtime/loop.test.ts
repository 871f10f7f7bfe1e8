import { expect, it } from 'vitest';
import type { EngineLog } from '../../server/runtime/engine-log.ts';
import { Loop } from '../../server/runtime/loop.ts';
import { ManualClock } from '../../server/runtime/manual-clock.ts';
import { throttle } from '../../server/runtime/throttle.ts';
import { recordedLog, silentLog } from '../support/log/logs.ts';

class Quiet extends Error {}

const turnsOf = (ticks: readonly (() => Promise<number>)[], log: EngineLog = silentLog) => {
  const clock = new ManualClock(0);
  const waiting: (() => void)[] = [];
  let turns = 0;
  const loop = new Loop({
    name: 'test',
    clock,
    log,
    isQuiet: (error) => error instanceof Quiet,
    tick: async () => {
      const tick = ticks[turns];
      turns += 1;
      for (const resolve of waiting.splice(0)) resolve();
      return tick === undefined ? 10_000 : tick();
    },
  });
  const nextTurn = (): Promise<void> => new Promise((resolve) => waiting.push(resolve));
  return { clock, loop, nextTurn, turns: () => turns };
};

/** Lets all that was resolved run on. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('turns again when the sleep it asked for is over, not before', async () => {
  const { clock, loop, nextTurn, turns } = turnsOf([async () => 500]);
  loop.start();
  await settled();
  clock.advance(499);
  await settled();
  expect(turns()).toBe(1);
  const next = nextTurn();
  clock.advance(1);
  await next;
  await loop.stop();
});

it('turns again at once when it was woken while it turned', async () => {
  const { loop, turns } = turnsOf([
    async () => {
      loop.wake();
      return 10_000;
    },
  ]);
  loop.start();
  await settled();
  expect(turns()).toBe(2);
  await loop.stop();
});

it('goes on after a turn that threw, within a second', async () => {
  const { clock, loop, nextTurn } = turnsOf([() => Promise.reject(new Error('no')), async () => 10]);
  loop.start();
  await settled();
  const next = nextTurn();
  clock.advance(1000);
  await next;
  await loop.stop();
});

it('logs an outage when it begins and when it ends, and logs nothing of a quiet failure', async () => {
  const { log, lines } = recordedLog();
  const away = () => Promise.reject(new Quiet());
  const fails = () => Promise.reject(new Error('no'));
  const { clock, loop } = turnsOf([away, away, async () => 10, away, fails, away, fails, async () => 10], log);
  loop.start();
  for (let turn = 0; turn < 10; turn += 1) {
    await settled();
    clock.advance(1000);
  }
  await loop.stop();
  expect(lines.map(({ message }) => message)).toEqual(['loop failed', 'loop works again']);
});

it('tells once a minute for each name, and how often it did not in between', () => {
  const clock = new ManualClock(0);
  const isTime = throttle(clock);
  const said: string[] = [];
  for (let second = 0; second < 120; second += 1) {
    for (const name of ['a', 'b']) {
      const told = isTime(name);
      if (told) said.push(`${name} ${second} ${told.leftOut}`);
    }
    clock.advance(1000);
  }
  expect(said).toEqual(['a 0 0', 'b 0 0', 'a 60 59', 'b 60 59']);
});
