import { expect, it } from 'vitest';
import { Dropper } from '../../../server/timer/index/generation-chores.ts';

it('drops the generations that broken refills left, although the one in force is not whole', async () => {
  const left = new Map([
    [1, 4500],
    [2, 500],
  ]);
  const dropper = new Dropper({
    index: {
      inUse: { number: 3, shards: 1, maxShards: 1 },
      marks: {
        drop: async ({ number }: { number: number }, limit: number) => {
          const gone = Math.min(limit, left.get(number) ?? 0);
          left.set(number, (left.get(number) ?? 0) - gone);
          return gone;
        },
      },
    } as never,
    generations: { past: async () => [...left.keys()].map((number) => ({ number, shards: 1 })) } as never,
    monotonicMs: () => 0,
  });
  const sleeps = [];
  for (let turn = 0; turn < 7; turn += 1) sleeps.push(await dropper.tick());
  expect([...left.values()]).toEqual([0, 0]);
  expect(sleeps).toEqual([50, 50, 50, 0, 50, 0, 1000]);
});
