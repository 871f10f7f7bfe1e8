import { expect, it } from 'vitest';
import { MemoryDueIndex } from '../../../server/adapter/memory/memory-due-index.ts';
import { ManualClock } from '../../../server/runtime/manual-clock.ts';
import { type GenerationInForce, OwnGenerations } from '../../../server/timer/index/generation.ts';
import { GenerationWatch } from '../../../server/timer/index/generation-watch.ts';
import { recordedLog } from '../../support/log/logs.ts';

/** A process that follows generation 3, while another process raises the pulse; and the Redis of the first one. */
const makeScene = () => {
  const { log, codes } = recordedLog();
  const redis = { isAvailable: true, has: { 3: true, 4: true } as Record<number, boolean>, asked: 0 };
  let found: GenerationInForce = { number: 3, shards: 4, wantedShards: undefined, pulse: 100 };
  const memory = new MemoryDueIndex(new ManualClock(0));
  const index = {
    inUse: memory.inUse,
    get isAvailable() {
      return redis.isAvailable;
    },
    marks: Object.assign(Object.create(memory.marks), {
      isWhole: async () => {
        redis.asked += 1;
        return redis.has[found.number] === true;
      },
    }),
  };
  const generations = Object.assign(new OwnGenerations(), { inForce: async () => found });
  const watch = new GenerationWatch({ generations, index, log, onChange: () => undefined });
  /** Seconds, each with a pulse of another process, or without. */
  const pass = async (seconds: number, isCounted = true): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      if (isCounted) found = { ...found, pulse: found.pulse + 1 };
      await watch.tick();
    }
  };
  const begin = (number: number): void => {
    found = { ...found, number, pulse: 0 };
  };
  return { watch, redis, pass, begin, codes };
};

it('says once that the index is in another Redis, where others keep it whole and this process does not find it', async () => {
  const { watch, redis, pass, codes } = makeScene();
  redis.has = {};
  await pass(300);
  expect(codes()).toEqual(['redis/elsewhere']);
  expect(watch.isElsewhere).toBe(true);
});

it('says nothing of an index that nobody keeps whole: it is being refilled, or lost for all', async () => {
  const { watch, redis, pass, codes } = makeScene();
  redis.has = {};
  await pass(300, false);
  expect([codes(), watch.isElsewhere, redis.asked]).toEqual([[], false, 0]);
});

it('says nothing after a loss that everybody notices a moment later', async () => {
  const { redis, pass, begin, codes } = makeScene();
  for (let generation = 3; generation < 30; generation += 1) {
    begin(generation);
    redis.has = { [generation]: true };
    await pass(11);
    redis.has = {};
    await pass(1);
  }
  expect(codes()).toEqual([]);
});

it('says nothing while its own Redis is away', async () => {
  const { redis, pass, codes } = makeScene();
  redis.has = {};
  redis.isAvailable = false;
  await pass(300);
  expect(codes()).toEqual([]);
});

it('takes it back when the same Redis is found, and tells of another slip', async () => {
  const { watch, redis, pass, codes } = makeScene();
  for (const times of [1, 2]) {
    redis.has = {};
    await pass(60);
    redis.has = { 3: true };
    await pass(60);
    expect([codes().length, watch.isElsewhere]).toEqual([times, false]);
  }
});

it('asks its own index no more than every ten seconds', async () => {
  const { redis, pass } = makeScene();
  await pass(100);
  expect(redis.asked).toBeLessThanOrEqual(10);
});
