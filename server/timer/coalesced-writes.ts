import { Coalescer } from './coalescer.ts';
import type { IndexWriter } from './index-writer.ts';
import type { Timer } from './timer.ts';
import type { TimerKinds } from './timer-kinds.ts';
import type { ChangeOutcome, NewTimer, ScheduleOutcome, TimerChange, TimerStore, TimerTarget } from './timer-store.ts';
import { appliedIn, indexChangesOf, type TimerWrites } from './timer-writer.ts';

const LARGEST_BATCH = 1000;
const LANES = 2;

interface Dependencies {
  readonly store: TimerStore;
  readonly kinds: TimerKinds;
  readonly indexWriter: IndexWriter;
}

/**
 * Writes with their own commit. Concurrent calls share a statement; there are a few lanes, so that one commits while
 * another tells the index. Calls of one timer, named in the same way, share a lane and keep their order, except that
 * schedules and changes which nobody awaited have none among each other.
 */
export const coalescedWrites = (dependencies: Dependencies): TimerWrites => {
  const { store, kinds } = dependencies;
  const lanes = Array.from({ length: LANES }, () => makeLane(dependencies));
  const laneOf = (target: TimerTarget | undefined): Lane => {
    const lane = lanes[target === undefined ? 0 : laneNumber(target)];
    if (lane === undefined) throw new RangeError('no such lane');
    return lane;
  };

  return {
    schedule: async (timers) => {
      const { schedules, tellings } = laneOf(timers[0]);
      const outcomes = await schedules.add(timers);
      await tellings.add(appliedIn(outcomes));
      return outcomes;
    },
    change: async (items) => {
      const { changes, tellings } = laneOf(items[0]?.target);
      const outcomes = await changes.add(items);
      await tellings.add(appliedIn(outcomes));
      return outcomes;
    },
    cancelByOwner: async (owners) => {
      const timers = await store.cancelByOwner(owners, kinds.derived);
      await laneOf(undefined).tellings.add(timers);
      return timers;
    },
  };
};

interface Lane {
  readonly schedules: Coalescer<NewTimer, ScheduleOutcome>;
  readonly changes: Coalescer<TimerChange, ChangeOutcome>;
  readonly tellings: Coalescer<Timer, Timer>;
}

const makeLane = ({ store, kinds, indexWriter }: Dependencies): Lane => {
  const isOfOne = (error: unknown): boolean => !store.isWorldFault(error);
  const limit = LARGEST_BATCH;
  return {
    schedules: new Coalescer({ run: (timers) => store.schedule(timers), isOfOne, limit }),
    changes: new Coalescer({ run: (items) => store.change(items, kinds.derived), isOfOne, limit }),
    tellings: new Coalescer({
      run: async (timers) => {
        await indexWriter.apply(indexChangesOf(timers));
        return timers;
      },
      isOfOne: () => false,
      limit,
    }),
  };
};

const laneNumber = (target: TimerTarget): number => {
  const name = 'timerId' in target ? target.timerId : target.subject;
  let sum = 0;
  for (let at = 0; at < name.length; at += 1) sum += name.charCodeAt(at);
  return sum % LANES;
};
