import type { IndexPublisher } from '../index/index-writer.ts';
import { indexChangesOf } from '../model/index-entry.ts';
import type { Timer } from '../model/timer.ts';
import { noteCalls } from '../model/timer-kind.ts';
import type { TimerKinds } from '../model/timer-kinds.ts';
import type { TimerStore, Tx } from '../model/timer-store.ts';
import type { ChangeOfKinds, TimerWritePath, TimerWriter, TimerWrites, Written } from '../model/timer-writes.ts';
import { timerWriter } from './timer-writer.ts';

/** The most timers in one batch of a change by kind. */
const LARGEST_BATCH = 1000;

/** Timer writes inside a transaction. `afterCommit` updates the index. */
export interface TimerTransaction extends TimerWriter {
  readonly tx: Tx;
  /**
   * Publishes the writes to the index. Call it once, after the commit. If you forget it, the sweeper fires the timers
   * late. In a handler it does nothing: there the engine publishes.
   */
  afterCommit(): Promise<void>;
}

/** The argument of the work of `timers.transaction`. */
export interface OwnTransaction extends TimerTransaction {
  /**
   * The database's time in whole epoch milliseconds: at the begin of the transaction; after a timer was written, the
   * time under that timer's lock. So a `shift` by 0 locks a timer and reads the clock.
   */
  readonly nowMs: number;
}

interface Dependencies {
  readonly store: TimerStore;
  readonly kinds: TimerKinds;
  readonly indexWriter: IndexPublisher;
}

interface WritesIn {
  readonly store: TimerStore;
  readonly tx: Tx;
  readonly written: Timer[];
  /** Timers that the transaction fires; a change by owner skips them. */
  readonly firing?: readonly string[];
}

/** Writes in a transaction of the caller, which commits it and then calls `afterCommit`. */
export const timerTransaction = (dependencies: Dependencies, tx: Tx): TimerTransaction =>
  transactionOn(dependencies, tx, []);

/** Writes in a transaction that the store began at `beganAtMs`. */
export const ownTransaction = (dependencies: Dependencies, tx: Tx, beganAtMs: number): OwnTransaction => {
  const written: Timer[] = [];
  return {
    ...transactionOn(dependencies, tx, written),
    get nowMs() {
      return written.reduce((latestMs, { updatedAtMs }) => Math.max(latestMs, updatedAtMs), beganAtMs);
    },
  };
};

const transactionOn = ({ store, kinds, indexWriter }: Dependencies, tx: Tx, written: Timer[]): TimerTransaction => {
  const writes = writesIn({ store, tx, written });
  const writer = timerWriter({ writes, ...inTransaction({ store, tx, writes, written }), kinds });
  return {
    ...noteCalls(() => tx, writer),
    tx,
    afterCommit: () => {
      indexWriter.publish(indexChangesOf(written));
      return indexWriter.room();
    },
  };
};

interface InTransaction extends Pick<WritesIn, 'store' | 'tx' | 'written'> {
  readonly writes: TimerWrites;
}

/** Calls that are done once, and lookups of kinds, in the transaction `tx`. A repeated result is published again. */
export const inTransaction = ({ store, tx, writes, written }: InTransaction) => {
  const once: TimerWritePath['once'] = async (command, work) => {
    const answer = await store.once(command, () => work(writes), tx);
    note(written, appliedIn(answer ?? []));
    return answer;
  };
  return { once, registered: () => store.registeredKinds(tx), nowMs: () => store.nowMs(tx) };
};

/** Writes in the transaction `tx`; adds the written rows to `written`. */
export const writesIn = ({ store, tx, written, firing = [] }: WritesIn): TimerWrites => ({
  schedule: async (timers) => {
    const outcomes = (await store.schedule(timers, tx)).filter((outcome) => outcome !== undefined);
    note(written, appliedIn(outcomes));
    return outcomes;
  },
  change: async (changes) => {
    const outcomes = (await store.change(changes, tx)).filter((outcome) => outcome !== undefined);
    note(written, appliedIn(outcomes));
    return outcomes;
  },
  changeByOwner: async (change) => {
    const timers = await store.changeByOwner(change, firing, tx);
    note(written, timers);
    return timers;
  },
  changeByKind: async (change) => {
    let count = 0;
    for await (const timers of batchesOf({ store, tx, firing }, change)) {
      note(written, timers);
      count += timers.length;
    }
    return count;
  },
});

/** Changes all timers of kinds, batch by batch. */
export async function* batchesOf(
  { store, tx, firing = [] }: Pick<WritesIn, 'store' | 'firing'> & { readonly tx?: Tx },
  change: ChangeOfKinds,
): AsyncGenerator<readonly Timer[]> {
  for (let afterId = '0'; ; ) {
    const timers = await store.changeByKind({ ...change, afterId, limit: LARGEST_BATCH }, firing, tx);
    yield timers;
    if (timers.length < LARGEST_BATCH) return;
    afterId = String(timers.reduce((last, { id }) => Math.max(last, Number(id)), 0));
  }
}

/** The rows that were written. */
export const appliedIn = (written: readonly (Written | undefined)[]): readonly Timer[] =>
  written.flatMap((one) => {
    if (one === undefined) return [];
    if (!('outcome' in one)) return one;
    return one.outcome === 'applied' || one.outcome === 'moved' ? one.timer : [];
  });

/** Pushes one by one: a call may write more rows than a function accepts as arguments. */
const note = (written: Timer[], timers: readonly Timer[]): void => {
  for (const timer of timers) written.push(timer);
};
