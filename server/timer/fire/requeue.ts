import { type Throttle, throttle } from '../../runtime/throttle.ts';
import type { RequeueReason } from '../model/engine-event.ts';
import { entryOf, type IndexChanges, type IndexEntry } from '../model/index-entry.ts';
import { isOfThing, type Timer } from '../model/timer.ts';
import type { FiringTools } from './firing-tools.ts';

const LEAST_UNKNOWN_MS = 20;
const MOST_UNKNOWN_MS = 1000;
const PAUSED_MS = 5000;
const WORLD_FAULT_MS = 500;
const LOGGED_EVERY_MS = 1000;
const LEAST_LOCKED_MS = 10;
const MOST_LOCKED_MS = 100;
/** Shorter locks cost no write of the row. */
const BRIEF_LOCK_MS = 500;

interface Later {
  readonly reason: RequeueReason;
  /** The store's time. Default: this process's estimate. */
  readonly nowMs?: number;
}

/**
 * Returns entries with which timers that did not fire come again, at a time that the reason decides. Only the index
 * changes: the rows stay due, so any process may fire them. Not a failed attempt.
 */
export const requeue = (
  tools: FiringTools,
  timers: readonly Timer[],
  { reason, nowMs = tools.storeClock.nowMs() }: Later,
): readonly IndexEntry[] => {
  if (timers.length === 0) return [];
  tools.observe({ type: 'requeued', reason, count: timers.length });
  return timers.map((timer) => ({
    timerId: timer.id,
    owner: timer.owner,
    fireAtMs: Math.floor(nextTryAtMs(timer, reason, nowMs)),
    revision: timer.revision,
  }));
};

const nextTryAtMs = ({ fireAtMs }: Timer, reason: RequeueReason, nowMs: number): number => {
  switch (reason) {
    case 'not-due':
    case 'stopping':
      return fireAtMs;
    case 'unknown-kind':
      // Another process may have the kind: soon. The longer none got the timer, the more likely no process has it.
      return nowMs + Math.min(MOST_UNKNOWN_MS, Math.max(LEAST_UNKNOWN_MS, (nowMs - fireAtMs) / 4));
    case 'paused':
      return nowMs + PAUSED_MS;
    case 'world-fault':
      return nowMs + WORLD_FAULT_MS;
    case 'locked':
      // Waits as long as the timer is late: a short command costs some ms; a stuck lock is tried ten times a second.
      return nowMs + Math.min(MOST_LOCKED_MS, Math.max(LEAST_LOCKED_MS, nowMs - fireAtMs));
  }
};

const limits = new WeakMap<FiringTools, Throttle>();

/** Requeues when the world failed, not the timers. */
export const requeueAfterFault = (
  tools: FiringTools,
  timers: readonly Timer[],
  error: unknown,
): readonly IndexEntry[] => {
  logFault(tools, timers, error);
  return requeue(tools, timers, { reason: 'world-fault' });
};

/** Per kind at most one line a second: a fault may last, and each timer meet it alone. */
const logFault = (tools: FiringTools, timers: readonly Timer[], error: unknown): void => {
  const [first] = timers;
  const limit = limits.get(tools) ?? throttle(tools.clock, LOGGED_EVERY_MS);
  limits.set(tools, limit);
  const told = limit(first?.kind ?? '');
  const line = { err: error, kind: first?.kind, timerId: first?.id, count: timers.length, leftOut: told?.leftOut };
  if (told) tools.log.warn(line, 'firing failed; again soon');
};

/** How a timer's row is deferred. */
interface Deferral {
  readonly byMs: number;
  readonly claims: 1 | 0 | -1;
}

interface Deferred {
  /** The deferred rows. */
  readonly timers: readonly Timer[];
  /** Entries of timers that could not be deferred: locked, moved, or the world failed. */
  readonly others: readonly IndexEntry[];
}

/** Defers timers in their rows and requeues the rest. For timers of things it holds the home. */
export const deferRows = async (
  tools: FiringTools,
  timers: readonly Timer[],
  deferralOf: (timer: Timer, at: number) => Deferral,
): Promise<Deferred> => {
  try {
    if (timers.length > 0 && timers.every(({ id }) => isOfThing(id))) {
      const nowMs = Math.floor(tools.storeClock.nowMs());
      const later = timers.map((timer, at) => ({ ...timer, fireAtMs: nowMs + deferralOf(timer, at).byMs }));
      // A home with several timers is held until the last one's time.
      const untilMs = new Map(later.map(({ owner, fireAtMs }) => [owner, fireAtMs]));
      await tools.store.hold([...untilMs].map(([owner, until]) => ({ owner, untilMs: until, attempt: 0 })));
      return { timers: later, others: [] };
    }
    const deferrals = timers.map((timer, at) => ({
      timerId: timer.id,
      revision: timer.revision,
      ...deferralOf(timer, at),
    }));
    const { timers: deferred, nowMs } = await tools.store.defer(deferrals);
    const obtained = new Set(deferred.map(({ id }) => id));
    const others = timers.filter(({ id }) => !obtained.has(id));
    return { timers: deferred, others: requeue(tools, others, { reason: 'locked', nowMs }) };
  } catch (error) {
    return { timers: [], others: requeueAfterFault(tools, timers, error) };
  }
};

/**
 * As `requeueAfterFault`, for a timer that met the fault alone. The row is deferred, since such a fault may last: a
 * policy for misfires would judge the retry as a late first attempt.
 */
export const deferAfterFault = async (
  tools: FiringTools,
  timer: Timer,
  error: unknown,
  byMs = WORLD_FAULT_MS,
): Promise<readonly IndexEntry[]> => {
  logFault(tools, [timer], error);
  const { timers, others } = await deferRows(tools, [timer], () => ({ byMs, claims: 0 }));
  if (timers.length > 0) tools.observe({ type: 'requeued', reason: 'world-fault', count: timers.length });
  return [...timers.map(entryOf), ...others];
};

/** As `requeue`, for a timer whose handler met a lock though it was alone. A lock that lasts is a fault of the world. */
export const requeueLocked = async (
  tools: FiringTools,
  timer: Timer,
  error: unknown,
): Promise<readonly IndexEntry[]> => {
  const isBrief = tools.storeClock.nowMs() - timer.fireAtMs < BRIEF_LOCK_MS;
  return isBrief ? requeue(tools, [timer], { reason: 'locked' }) : deferAfterFault(tools, timer, error, MOST_LOCKED_MS);
};

/** Never throws: the sweeper finds timers without their index update. */
export const publish = async (tools: FiringTools, changes: IndexChanges): Promise<void> => {
  try {
    await tools.indexWriter.apply(changes);
  } catch (error) {
    tools.log.error({ err: error, count: changes.put.length }, 'the index was not updated: timers come again late');
  }
};
