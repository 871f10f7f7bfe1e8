import { expect, test } from 'vitest';
import { Coalescer } from '../../server/runtime/coalescer.ts';
import { ManualClock } from '../../server/runtime/manual-clock.ts';

interface Batch {
  readonly items: readonly string[];
  end(): void;
}

/** Items are `name` or `name:detail`; a batch ends when told to. */
const coalescing = (limit = 1000) => {
  const clock = new ManualClock(0);
  const batches: Batch[] = [];
  const coalescer = new Coalescer<string, string>({
    run: (items) => {
      const { promise, resolve } = Promise.withResolvers<readonly string[]>();
      batches.push({ items, end: () => resolve(items.map((item) => `${item}!`)) });
      return promise;
    },
    nameOf: (item) => item.split(':', 1)[0] ?? '',
    isOfOne: () => false,
    limit,
    after: clock.after,
  });
  const began = () => batches.map(({ items }) => items.length);
  return { clock, coalescer, batches, began };
};

const names = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `${prefix}${at}`);

/** Until everything that could begin has begun. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test('calls of one turn share a batch, those that come while it runs the next one', async () => {
  const { coalescer, batches, began } = coalescing();
  const answers = [coalescer.add(['a']), coalescer.add(['b', 'c'])];
  await settle();
  answers.push(coalescer.add(['d']), coalescer.add(['e']));
  await settle();
  expect(began()).toEqual([3]);
  batches[0]?.end();
  await settle();
  expect(began()).toEqual([3, 2]);
  batches[1]?.end();
  expect(await Promise.all(answers)).toEqual([['a!'], ['b!', 'c!'], ['d!'], ['e!']]);
});

test('a second batch runs beside the first when many wait, a third does not', async () => {
  const { coalescer, batches, began } = coalescing();
  void coalescer.add(names('a', 1));
  await settle();
  void coalescer.add(names('b', 63));
  await settle();
  expect(began()).toEqual([1]);
  void coalescer.add(names('c', 1));
  await settle();
  expect(began()).toEqual([1, 64]);
  void coalescer.add(names('d', 500));
  await settle();
  expect(began()).toEqual([1, 64]);
  batches[0]?.end();
  await settle();
  expect(began()).toEqual([1, 64, 500]);
});

test('a batch that fails for one call is tried call by call', async () => {
  const tried: number[] = [];
  const coalescer = new Coalescer<string, string>({
    run: async (items) => {
      tried.push(items.length);
      if (items.includes('bad')) throw new Error('bad');
      return items;
    },
    nameOf: String,
    isOfOne: () => true,
    limit: 1000,
    after: new ManualClock(0).after,
  });
  const answers = await Promise.allSettled(['a', 'bad', 'b'].map((name) => coalescer.add([name])));
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(tried).toEqual([3, 1, 1, 1]);
  expect(await coalescer.add(['bad']).catch(() => 'again')).toBe('again');
});

test('who waits behind a slow batch goes beside it, also behind several, but not behind more than four', async () => {
  const { clock, coalescer, batches, began } = coalescing();
  for (const name of names('a', 6)) {
    void coalescer.add([name]);
    await settle();
    clock.advance(1000);
    await settle();
  }
  expect(began()).toEqual([1, 1, 1, 1]);
  batches[2]?.end();
  await settle();
  expect(batches.at(-1)?.items).toEqual(['a4', 'a5']);
});

test('calls about the same keep their order, and so do those that overlap with one that waits', async () => {
  const { clock, coalescer, batches } = coalescing();
  void coalescer.add(['a:1']);
  await settle();
  void coalescer.add(['b:1', 'a:2']);
  void coalescer.add(['b:2']);
  void coalescer.add(['c:1']);
  clock.advance(1000);
  await settle();
  expect(batches.map(({ items }) => items)).toEqual([['a:1'], ['c:1']]);
  batches[1]?.end();
  await settle();
  expect(batches).toHaveLength(2);
  batches[0]?.end();
  await settle();
  expect(batches.at(-1)?.items).toEqual(['b:1', 'a:2', 'b:2']);
});

test('a batch has no more items than the limit, except that one call may', async () => {
  const { coalescer, batches, began } = coalescing(10);
  for (const prefix of ['a', 'b', 'c']) void coalescer.add(names(prefix, 4));
  void coalescer.add(names('d', 12));
  await settle();
  expect(began()).toEqual([8]);
  batches[0]?.end();
  await settle();
  batches[1]?.end();
  await settle();
  expect(began()).toEqual([8, 4, 12]);
});

test('an item that was left undone runs alone, and its error is of its call only', async () => {
  const runs: (readonly string[])[] = [];
  const coalescer = new Coalescer<string, string>({
    run: async (items) => {
      runs.push(items);
      if (items.length === 1 && items[0] === 'bad') throw new Error('no');
      return items.map((item) => (items.length > 1 && item !== 'quick' ? undefined : `${item}!`));
    },
    nameOf: (item) => item,
    isOfOne: () => true,
    limit: 1000,
    after: new ManualClock(0).after,
  });
  const calls = [coalescer.add(['quick', 'slow']), coalescer.add(['quick', 'bad']), coalescer.add(['quick'])];
  expect(await Promise.allSettled(calls)).toMatchObject([
    { value: ['quick!', 'slow!'] },
    { reason: { message: 'no' } },
    { value: ['quick!'] },
  ]);
  expect(runs).toEqual([['quick', 'slow', 'quick', 'bad', 'quick'], ['slow'], ['bad']]);
});
