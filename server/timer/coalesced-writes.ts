import { Coalescer } from './coalescer.ts';
import type { IndexWriter } from './index-writer.ts';
import type { Timer } from './timer.ts';
import type { TimerKinds } from './timer-kinds.ts';
import type { ChangeOutcome, NewTimer, ScheduleOutcome, TimerChange, TimerStore } from './timer-store.ts';
import { appliedIn, indexChangesOf, type TimerWrites } from './timer-writer.ts';

const LARGEST_BATCH = 1000;

interface Dependencies {
  readonly store: TimerStore;
  readonly kinds: TimerKinds;
  readonly indexWriter: IndexWriter;
}

/**
 * Writes with their own commit. Concurrent calls share a statement; while the index hears of one batch, the next is
 * committed. Schedules and changes that nobody awaited have no order among each other.
 */
export const coalescedWrites = ({ store, kinds, indexWriter }: Dependencies): TimerWrites => {
  const isOfOne = (error: unknown): boolean => !store.isWorldFault(error);
  const schedules = new Coalescer<NewTimer, ScheduleOutcome>({
    run: (timers) => store.schedule(timers),
    isOfOne,
    limit: LARGEST_BATCH,
  });
  const changes = new Coalescer<TimerChange, ChangeOutcome>({
    run: (items) => store.change(items, kinds.derived),
    isOfOne,
    limit: LARGEST_BATCH,
  });
  const tellings = new Coalescer<Timer, Timer>({
    run: async (timers) => {
      await indexWriter.apply(indexChangesOf(timers));
      return timers;
    },
    isOfOne: () => false,
    limit: LARGEST_BATCH,
  });

  return {
    schedule: async (timers) => {
      const outcomes = await schedules.add(timers);
      await tellings.add(appliedIn(outcomes));
      return outcomes;
    },
    change: async (items) => {
      const outcomes = await changes.add(items);
      await tellings.add(appliedIn(outcomes));
      return outcomes;
    },
    cancelByOwner: async (owners) => {
      const timers = await store.cancelByOwner(owners, kinds.derived);
      await tellings.add(timers);
      return timers;
    },
  };
};
