import { afterEach, beforeEach, expect, it } from 'vitest';
import { countOf } from '../../support/engine/count-of.ts';
import { kindsOf } from '../../support/engine/kinds-of.ts';
import { type EngineUnderTest, makeEngine } from '../../support/engine/timer-engine.ts';

let made: EngineUnderTest;

beforeEach(async () => {
  made = await makeEngine();
  await made.engine.runDue();
});

afterEach(() => made.dispose());

it('refuses other shards on the timing wheel, and says what would have them', async () => {
  await expect(made.engine.care.reshard(16)).rejects.toThrow(
    'shards is 16: the timing wheel has one shard: give a Redis (redis, REDIS_URL) to have more',
  );
  expect(await made.engine.care.state()).toMatchObject({ generation: 2, shards: 1, isWhole: true });
});

it('refills the wheel when it is told to', async () => {
  const { engine, timers, index, clock, store } = made;
  await store.registerKinds(kindsOf('order'));
  await timers.schedule([{ kind: 'order', subject: 'a', owner: 'ann', dueAtMs: clock.nowMs() + 1000 }]);
  index.clear();
  await engine.care.rebuild();
  expect(await engine.care.state()).toMatchObject({ wantedShards: 1 });
  await engine.runDue();
  expect(await engine.care.state()).toMatchObject({ generation: 3, wantedShards: undefined, isWhole: true });
  expect(await countOf(index)).toBe(1);
});
