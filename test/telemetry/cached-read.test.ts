import { beforeEach, expect, it } from 'vitest';
import { ManualClock } from '../../server/runtime/manual-clock.ts';
import { cachedRead } from '../../server/telemetry/store-reads.ts';

let clock: ManualClock;
let failures = 0;
let asked = 0;
const failed = (): void => {
  failures += 1;
};
const answerWith = (answer: () => Promise<number>) => {
  asked = 0;
  return cachedRead(
    () => {
      asked += 1;
      return answer();
    },
    clock,
    failed,
  );
};

beforeEach(() => {
  clock = new ManualClock(0);
  failures = 0;
});

it('asks once for five seconds, however many want to know', async () => {
  const read = answerWith(async () => asked);

  expect(await Promise.all([read(), read()])).toEqual([1, 1]);
  clock.advance(4999);
  expect(await read()).toBe(1);
  clock.advance(1);
  expect(await read()).toBe(2);
});

it('does not know, and says so, when the store throws', async () => {
  const read = answerWith(() => Promise.reject(new Error('down')));

  expect(await read()).toBeUndefined();
  expect(failures).toBe(1);
});

it('counts a read once that fails after the time was over', async () => {
  const { promise, reject } = Promise.withResolvers<number>();
  const answer = answerWith(() => promise)();
  clock.advance(2000);
  expect(await answer).toBeUndefined();
  reject(new Error('late'));
  await promise.catch(() => undefined);
  expect(failures).toBe(1);
});

it('lets nobody wait for more than two seconds', async () => {
  const read = answerWith(() => new Promise(() => undefined));

  const answer = read();
  clock.advance(2000);
  expect(await answer).toBeUndefined();
  expect(failures).toBe(1);
});
