import { MemoryDueIndex } from '../../../server/adapter/memory/memory-due-index.ts';
import { ManualClock } from '../../../server/runtime/manual-clock.ts';
import { StoreClock } from '../../../server/timer/clock/store-clock.ts';
import type { FiringTools } from '../../../server/timer/fire/firing-tools.ts';
import { IndexWriter } from '../../../server/timer/index/index-writer.ts';
import type { EngineMeasurement } from '../../../server/timer/model/engine-event.ts';
import type { Timer } from '../../../server/timer/model/timer.ts';
import { TimerKinds } from '../../../server/timer/model/timer-kinds.ts';
import type { TimerStore } from '../../../server/timer/model/timer-store.ts';
import { FakeTimerStore } from '../fake-database/fake-timer-store.ts';
import { recordedLog } from '../log/logs.ts';
import { beginGeneration } from './due-index.ts';
import { sabotaged } from './sabotaged.ts';

const NOW_MS = 1_790_000_000_000;

interface Options {
  readonly faultyStore?: Partial<TimerStore>;
  readonly faultyWriter?: Partial<IndexWriter>;
}

/** The dependencies of firing, in memory, and one due timer of a game's own kind. */
export const firingScene = async ({ faultyStore = {}, faultyWriter = {} }: Options = {}) => {
  const clock = new ManualClock(NOW_MS);
  const rows = new FakeTimerStore(clock.nowMs);
  const store = sabotaged<TimerStore>(rows, faultyStore);
  const index = new MemoryDueIndex(clock);
  await beginGeneration(index);
  const events: EngineMeasurement[] = [];
  const { log, lines } = recordedLog();
  const tools: FiringTools = {
    store,
    clock,
    log,
    kinds: new TimerKinds(),
    indexWriter: sabotaged(new IndexWriter({ index }), faultyWriter),
    storeClock: new StoreClock(store, clock),
    observe: (event) => events.push(event),
  };
  await rows.schedule([{ kind: 'order', subject: 's', owner: 'ann', dueAtMs: NOW_MS - 40 }]);
  const row = async (): Promise<Timer> => {
    const [timer] = await rows.find([{ kind: 'order', subject: 's' }]);
    if (timer === undefined) throw new Error('there is no row');
    return timer;
  };
  return { tools, clock, index, events, lines, row, timer: await row(), nowMs: NOW_MS };
};
