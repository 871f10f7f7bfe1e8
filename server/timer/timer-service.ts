import { readOptions } from '../../shared/options/read-options.ts';
import type { Clock } from '../runtime/clock.ts';
import type { EngineLog } from '../runtime/engine-log.ts';
import type { IndexPublisher } from './index/index-writer.ts';
import type { Timer } from './model/timer.ts';
import type { TimerTarget } from './model/timer-changes.ts';
import { callsEnded, isHandlerTx, receiveRefusals } from './model/timer-kind.ts';
import type { TimerKinds } from './model/timer-kinds.ts';
import type { TimerStore, Tx } from './model/timer-store.ts';
import type { TimerWriter } from './model/timer-writes.ts';
import { coalescedWrites } from './write/coalesced-writes.ts';
import { serviceCalls } from './write/timer-calls.ts';
import {
  type OwnTransaction,
  ownTransaction,
  type TimerTransaction,
  timerTransaction,
} from './write/timer-transaction.ts';
import { timerWriter } from './write/timer-writer.ts';

const LARGEST_LIST = 1000;

/**
 * `kibble.timers`. A write is committed when its promise resolves, and reaches the index a moment later. Concurrent
 * calls share a statement and a commit. If a call throws a fault of the world, its outcome is unknown.
 */
export interface TimerService extends TimerWriter {
  /**
   * Timer writes and other work with `timers.tx` in one transaction. Lock order: homes first, then
   * timers, then the game's own rows. Another order can deadlock.
   */
  transaction<T>(work: (timers: OwnTransaction) => Promise<T>): Promise<T>;

  /** Timer writes inside the caller's transaction; outside of handlers the caller must call `afterCommit()`. */
  within(tx: Tx): TimerTransaction;

  /** Finds timers by id; or by key: the scheduled one, else the last that completed or died. */
  find(targets: readonly TimerTarget[]): Promise<readonly (Timer | undefined)[]>;

  /** The owner's scheduled timers, of all kinds, in due order. */
  listByOwner(owner: string): Promise<readonly Timer[]>;

  /** Dead timers of these kinds, latest first; at most 1000. */
  listDead(kinds: readonly string[], limit?: number): Promise<readonly Timer[]>;

  /** Derived timers that failed and are retried, latest first; at most 1000. */
  listStuck(limit?: number): Promise<readonly Timer[]>;

  /** Resolves when every write of this process is in the index, or the index is away. */
  idle(): Promise<void>;

  /** Within a second no node begins to fire timers of this kind any more. The timers stay and become late. */
  pauseKind(kind: string): Promise<void>;

  /** Lets the kind fire again; overdue timers fire within about five seconds. */
  resumeKind(kind: string): Promise<void>;
}

interface Dependencies {
  readonly store: TimerStore;
  readonly kinds: TimerKinds;
  readonly indexWriter: IndexPublisher;
  readonly after: Clock['after'];
  readonly log: Pick<EngineLog, 'warn'>;
}

export const timerService = ({ store, kinds, indexWriter, after, log }: Dependencies): TimerService => {
  const within = (given: Tx): TimerTransaction => {
    const { tx } = readOptions(serviceCalls.within, { tx: given }, 'within');
    if (isHandlerTx(tx)) return { ...tx.timers, tx, afterCommit: async () => undefined };
    return timerTransaction({ store, kinds, indexWriter }, tx);
  };
  const setPaused = async (given: string, isPaused: boolean): Promise<void> => {
    const { kind } = readOptions(serviceCalls.pauseKind, { kind: given }, isPaused ? 'pauseKind' : 'resumeKind');
    await store.setPaused(kind, isPaused);
    kinds.setPaused(await store.pausedKinds());
  };

  return {
    ...timerWriter({
      ...coalescedWrites({ store, indexWriter, after }),
      kinds,
      nowMs: () => store.nowMs(),
      registered: () => store.registeredKinds(),
    }),
    transaction: async (work) => {
      readOptions(serviceCalls.transaction, { work }, 'transaction');
      const warn = (err: unknown): void => log.warn({ err }, 'a call in a transaction failed in a work that went on');
      const refused = new Set<unknown>();
      let isCommitted = false;
      const { answer, timers } = await store.transaction(async (tx, beganAtMs) => {
        const timers = ownTransaction({ store, kinds, indexWriter }, tx, beganAtMs);
        receiveRefusals(tx, (error) => (isCommitted ? warn(error) : void refused.add(error)));
        const worked = new Promise<Awaited<ReturnType<typeof work>>>((resolve) => resolve(work(timers) as never));
        return { answer: await worked.finally(() => callsEnded(tx)), timers };
      });
      isCommitted = true;
      for (const error of refused) warn(error);
      await timers.afterCommit();
      return answer;
    },
    within,
    find: async (targets) => store.find(readOptions(serviceCalls.find, { targets }, 'find').targets),
    listByOwner: async (owner) => {
      readOptions(serviceCalls.listByOwner, { owner }, 'listByOwner');
      return store.listByOwners([owner]);
    },
    listDead: async (given, most = LARGEST_LIST) => {
      const { kinds, limit } = readOptions(serviceCalls.listDead, { kinds: given, limit: most }, 'listDead');
      return store.listDead(kinds, Math.min(limit, LARGEST_LIST));
    },
    listStuck: async (limit = LARGEST_LIST) => {
      readOptions(serviceCalls.listStuck, { limit }, 'listStuck');
      return store.listStuck(Math.min(limit, LARGEST_LIST));
    },
    idle: () => indexWriter.idle(),
    pauseKind: (kind) => setPaused(kind, true),
    resumeKind: (kind) => setPaused(kind, false),
  };
};
