import type { IndexWriter } from './index-writer.ts';
import type { Timer } from './timer.ts';
import type { TimerKinds } from './timer-kinds.ts';
import type { TimerStore, Tx } from './timer-store.ts';
import { appliedIn, indexChangesOf, type TimerWriter, timerWriter } from './timer-writer.ts';

/** Timer writes inside a transaction. The index hears of them in `afterCommit`, not before. */
export interface TimerTransaction extends TimerWriter {
  readonly tx: Tx;
  /** Tells the index. Call it once, after the commit; forgotten, the timers fire late, by the sweeper. */
  afterCommit(): Promise<void>;
}

interface Dependencies {
  readonly store: TimerStore;
  readonly kinds: TimerKinds;
  readonly indexWriter: Pick<IndexWriter, 'apply'>;
}

export const timerTransaction = ({ store, kinds, indexWriter }: Dependencies, tx: Tx): TimerTransaction => {
  const written: Timer[] = [];
  const writer = timerWriter(
    {
      schedule: async (timers) => {
        const outcomes = await store.schedule(timers, tx);
        written.push(...appliedIn(outcomes));
        return outcomes;
      },
      change: async (changes) => {
        const outcomes = await store.change(changes, kinds.derived, tx);
        written.push(...appliedIn(outcomes));
        return outcomes;
      },
      cancelByOwner: async (owners) => {
        const timers = await store.cancelByOwner(owners, kinds.derived, tx);
        written.push(...timers);
        return timers;
      },
    },
    kinds,
  );
  return { ...writer, tx, afterCommit: () => indexWriter.apply(indexChangesOf(written)) };
};
