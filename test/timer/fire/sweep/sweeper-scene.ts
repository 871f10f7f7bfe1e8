import { MemoryDueIndex } from '../../../../server/adapter/memory/memory-due-index.ts';
import { ManualClock } from '../../../../server/runtime/manual-clock.ts';
import { StoreClock } from '../../../../server/timer/clock/store-clock.ts';
import { Sweeper } from '../../../../server/timer/fire/sweeper.ts';
import type { DueIndex } from '../../../../server/timer/index/due-index.ts';
import { IndexWriter } from '../../../../server/timer/index/index-writer.ts';
import type { EngineMeasurement } from '../../../../server/timer/model/engine-event.ts';
import type { Timer } from '../../../../server/timer/model/timer.ts';
import { TimerKinds } from '../../../../server/timer/model/timer-kinds.ts';
import { beginGeneration } from '../../../support/engine/due-index.ts';
import { kindsOf } from '../../../support/engine/kinds.ts';
import { type IndexFaults, sabotaged, sabotagedIndex } from '../../../support/engine/sabotaged.ts';
import { FakeTimerStore } from '../../../support/fake-database/fake-timer-store.ts';
import { silentLog } from '../../../support/log/logs.ts';

export const NOW_MS = 1_790_000_000_000;
export const DAY_MS = 86_400_000;

/** A put entry stays in place. */
export const noHandOff: IndexFaults = { handOffs: { handOff: async () => ({ moved: 0, nextFireAtMs: undefined }) } };

/** A sweeper that has not swept yet, beside an index that was refilled long ago, unless said otherwise. */
export const makeScene = async ({ isAway = false, faults = noHandOff, onTake = (): void => {} } = {}) => {
  const clock = new ManualClock(NOW_MS - DAY_MS);
  const store = new FakeTimerStore(clock.nowMs);
  const index = new MemoryDueIndex(clock);
  await beginGeneration(index);
  const kinds = new TimerKinds();
  kinds.register({ kind: 'order', fire: async () => undefined });
  await store.registerKinds(kindsOf('order', 'hint'));
  const rebuilder = { isNeeded: isAway };
  /** The accepted timers, batch by batch. */
  const batches: (readonly string[])[] = [];
  const events: EngineMeasurement[] = [];
  const tools = { store, kinds, clock, storeClock: new StoreClock(store, clock), log: silentLog };
  const availability = { isAvailable: true };
  const sweeper = new Sweeper({
    rebuilder,
    limit: 100,
    index: sabotaged<DueIndex>(sabotagedIndex(index, faults), availability),
    tools: { ...tools, indexWriter: new IndexWriter({ index }), observe: (event) => events.push(event) },
    intake: {
      accept: async (refs) => {
        batches.push(refs.map(({ timerId }) => timerId));
        onTake();
        return { count: refs.length, settled: Promise.resolve() };
      },
    },
  });
  clock.advanceTo(NOW_MS);
  /** Rows of which the index was never told. */
  const lose = async (owners: readonly string[], { kind = 'order', dueAtMs = NOW_MS } = {}) => {
    const wanted = owners.map((owner, at) => ({ kind, owner, dueAtMs, subject: `${kind}-${owner}-${at}` }));
    return (await store.schedule(wanted)).map(({ timer }) => timer);
  };
  /** As the loop does, for so long. */
  const sweepFor = async (forMs: number): Promise<void> => {
    const untilMs = clock.nowMs() + forMs;
    for (;;) {
      const pauseMs = await sweeper.tick();
      if (clock.nowMs() + pauseMs > untilMs) return clock.advanceTo(untilMs);
      clock.advance(pauseMs);
    }
  };
  const swept = (): number => events.reduce((sum, event) => sum + (event.type === 'swept' ? event.count : 0), 0);
  return { clock, store, kinds, index, sweeper, rebuilder, availability, batches, lose, sweepFor, swept };
};

/** Their entries in the index. */
export const timesOf = (index: DueIndex, timers: readonly Timer[]) =>
  index.orders.fireTimes(timers.map(({ id, owner }) => ({ timerId: id, owner })));
