import { expect, it } from 'vitest';
import { MemoryDueIndex } from '../../server/adapter/memory/memory-due-index.ts';
import { MemoryTimerStore } from '../../server/adapter/memory/memory-timer-store.ts';
import { alwaysExclusive } from '../../server/timer/always-exclusive.ts';
import { IndexWriter } from '../../server/timer/index-writer.ts';
import { ManualClock } from '../../server/timer/manual-clock.ts';
import { StoreClock } from '../../server/timer/store-clock.ts';
import { Sweeper } from '../../server/timer/sweeper.ts';
import { TimerKinds } from '../../server/timer/timer-kinds.ts';
import { beginGeneration } from '../support/begin-generation.ts';
import { silentLog } from '../support/silent-log.ts';

const NOW_MS = 1_790_000_000_000;
const DAY_MS = 86_400_000;

const makeScene = async () => {
  const clock = new ManualClock(NOW_MS);
  const store = new MemoryTimerStore(clock.nowMs);
  const index = new MemoryDueIndex(clock);
  await beginGeneration(index);
  const kinds = new TimerKinds();
  kinds.register({ kind: 'order', fire: async () => undefined });
  const rebuilder = { isNeeded: true };
  const swept: string[] = [];
  const tools = { store, kinds, clock, storeClock: new StoreClock(store, clock), log: silentLog };
  const sweeper = new Sweeper({
    ...{ index, rebuilder, exclusive: alwaysExclusive, limit: 100 },
    tools: { ...tools, indexWriter: new IndexWriter(index), observe: () => undefined },
    intake: { take: async (ids) => ({ count: swept.push(...ids), settled: Promise.resolve() }) },
  });
  const [outcome] = await store.schedule([
    { kind: 'order', subject: 's', owner: 'ann', dueAtMs: NOW_MS - DAY_MS, payload: undefined },
  ]);
  const id = outcome?.timer.id ?? '';
  return { clock, index, sweeper, rebuilder, swept, id };
};

it('fires what is overdue while the index lacks timers', async () => {
  const { sweeper, swept, id } = await makeScene();
  await sweeper.tick();
  expect(swept).toEqual([id]);
});

it('leaves to the workers what was overdue for a day when the index became whole, as long as they have it', async () => {
  const { clock, index, sweeper, rebuilder, swept, id } = await makeScene();
  rebuilder.isNeeded = false;
  await index.put([{ timerId: id, owner: 'ann', fireAtMs: NOW_MS - DAY_MS, revision: 1 }]);
  await index.handOff(0, NOW_MS, 10);
  for (let second = 0; second < 30; second += 1) {
    clock.advance(1000);
    await sweeper.tick();
  }
  expect(swept).toEqual([]);
  await index.ack(await index.receive(10, 0, new AbortController().signal));
  await sweeper.tick();
  expect(swept).toEqual([id]);
});

it('fires what a whole index does not know two seconds after it became whole', async () => {
  const { clock, sweeper, rebuilder, swept, id } = await makeScene();
  rebuilder.isNeeded = false;
  clock.advance(1999);
  await sweeper.tick();
  expect(swept).toEqual([]);
  clock.advance(1);
  await sweeper.tick();
  expect(swept).toEqual([id]);
});
