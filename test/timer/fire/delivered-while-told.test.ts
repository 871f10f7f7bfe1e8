import { expect, it } from 'vitest';
import { MemoryDueIndex } from '../../../server/adapter/memory/memory-due-index.ts';
import { ManualClock } from '../../../server/runtime/manual-clock.ts';
import { StoreClock } from '../../../server/timer/clock/store-clock.ts';
import { Share } from '../../../server/timer/fire/batches.ts';
import type { FiringTools } from '../../../server/timer/fire/firing-tools.ts';
import { Intake } from '../../../server/timer/fire/intake.ts';
import { IndexWriter } from '../../../server/timer/index/index-writer.ts';
import { TimerKinds } from '../../../server/timer/model/timer-kinds.ts';
import { NOW_MS } from '../../support/engine/timer-engine.ts';
import { FakeTimerStore } from '../../support/fake-database/fake-timer-store.ts';
import { silentLog } from '../../support/log/logs.ts';

it('fires a timer that is due again at once, though it is delivered before the index has said that it was told', async () => {
  const clock = new ManualClock(NOW_MS);
  const store = new FakeTimerStore(clock.nowMs);
  const kinds = new TimerKinds();
  const turns: number[] = [];
  const index = new MemoryDueIndex(clock);
  // The other worker of the process is quick.
  index.orders.put = async (entries) => {
    await intake.accept(entries);
    return true;
  };
  const tools: FiringTools = {
    store,
    kinds,
    clock,
    log: silentLog,
    observe: () => undefined,
    indexWriter: new IndexWriter({ index }),
    storeClock: new StoreClock(store, clock),
  };
  const intake = new Intake({ tools, limit: 100, share: new Share(1) });
  const wanted = { kind: 'order', subject: 'a', owner: 'ann', dueAtMs: NOW_MS };
  kinds.register({
    kind: 'order',
    fire: async ([timer], tx) => {
      turns.push(timer?.turn ?? 0);
      if (turns.length < 3) await tx.timers.schedule([wanted]);
      return undefined;
    },
  });
  const [scheduled] = await store.schedule([wanted]);
  await intake.accept([{ timerId: scheduled?.timer.id ?? '', owner: 'ann' }]);
  await intake.idle();
  expect(turns).toEqual([1, 2, 3]);
});
