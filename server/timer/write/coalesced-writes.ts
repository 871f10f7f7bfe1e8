import type { Clock } from '../../runtime/clock.ts';
import { Coalescer } from '../../runtime/coalescer.ts';
import type { IndexPublisher } from '../index/index-writer.ts';
import { indexChangesOf } from '../model/index-entry.ts';
import type {
  ChangeOutcome,
  ScheduleOutcome,
  ScheduleRequest,
  TimerChange,
  TimerTarget,
} from '../model/timer-changes.ts';
import type { SavedTimer, TimerStore, TimerUpdate } from '../model/timer-store.ts';
import type { TimerWritePath, TimerWrites, Written } from '../model/timer-writes.ts';
import { appliedIn, batchesOf, writesIn } from './timer-transaction.ts';

const LARGEST_BATCH = 1000;

interface Dependencies {
  readonly store: TimerStore;
  readonly indexWriter: IndexPublisher;
  readonly after: Clock['after'];
}

/**
 * Writes with their own commit. Concurrent calls share a statement, and the index is updated after their commits. Calls
 * that name a timer in the same way keep their order, except schedules and changes that the caller did not await.
 */
export const coalescedWrites = ({ store, indexWriter, after }: Dependencies): TimerWritePath => {
  const shared = { after, limit: LARGEST_BATCH, isOfOne: isOfOneIn(store) };
  /** Publishes the rows of a commit after it, a whole batch at once. */
  const published = <Result extends readonly (Written | undefined)[]>(written: Result): Result => {
    indexWriter.publish(indexChangesOf(appliedIn(written)));
    return written;
  };
  const schedules = new Coalescer<ScheduleRequest, ScheduleOutcome>({
    ...shared,
    nameOf,
    run: async (timers) => published(await store.schedule(timers)),
  });
  const changes = new Coalescer<TimerChange, ChangeOutcome>({
    ...shared,
    nameOf: ({ target }) => nameOf(target),
    run: async (items) => published(await store.change(items)),
  });
  /** A caller waits only while too much is queued for the index. */
  const withRoom = async <Result>(done: Promise<Result>): Promise<Result> => {
    const result = await done;
    await indexWriter.room();
    return result;
  };

  /** Uses a transaction of its own. A repeated result is published again. */
  const once: TimerWritePath['once'] = async (command, work) => {
    const answer = await store.transaction((tx) =>
      store.once(command, () => work(writesIn({ store, tx, written: [] })), tx),
    );
    published(answer ?? []);
    await indexWriter.room();
    return answer;
  };

  const writes: TimerWrites = {
    schedule: (timers) => withRoom(schedules.add(timers)),
    change: (items) => withRoom(changes.add(items)),
    changeByOwner: (change) => withRoom(store.changeByOwner(change, []).then(published)),
    changeByKind: async (change) => {
      let count = 0;
      for await (const timers of batchesOf({ store }, change)) {
        published(timers);
        await indexWriter.room();
        count += timers.length;
      }
      return count;
    },
  };
  return { writes, once };
};

/**
 * Saves the outcomes of calls. Calls that end together share a statement: else as many connections would open at once as
 * calls run. Returns the saved row, or none if it had another revision.
 */
export const coalescedSaves = ({ store, after }: Pick<Dependencies, 'store' | 'after'>) => {
  const saves = new Coalescer<TimerUpdate, readonly SavedTimer[]>({
    after,
    limit: LARGEST_BATCH,
    isOfOne: isOfOneIn(store),
    nameOf: ({ timerId }) => timerId,
    run: async (updates) => {
      const saved = new Map((await store.save(updates)).map((row) => [row.id, row]));
      return updates.map(({ timerId, revision }) => {
        const row = saved.get(timerId);
        return row?.revision === revision + 1 ? [row] : [];
      });
    },
  });
  return async (update: TimerUpdate): Promise<readonly SavedTimer[]> => (await saves.add([update])).flat();
};

/** A row that another transaction has locked is one as well: the calls beside it do not fail with it. */
const isOfOneIn =
  (store: TimerStore) =>
  (error: unknown): boolean =>
    !store.isWorldFault(error) || store.isContention(error);

const nameOf = (target: TimerTarget): string =>
  'timerId' in target ? target.timerId : `${target.kind}\0${target.subject}`;
