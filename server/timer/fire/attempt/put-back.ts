import type { PutBackReason } from '../../model/engine-event.ts';
import type { IndexChanges } from '../../model/index-entry.ts';
import { entryOf, type IndexEntry } from '../../model/index-entry.ts';
import { isOfThing, type Timer } from '../../model/timer.ts';
import { retrySoon } from './failed-attempt.ts';
import type { FiringTools } from './firing-tools.ts';
import { retryAfterLock } from './retry-after-lock.ts';
import type { TakenTimer } from './taken-timer.ts';

/** Ends the work on timers: tells the index when they come again, then lets their deliveries go. */
export const putBack = async (
  tools: FiringTools,
  taken: readonly TakenTimer[],
  entries: readonly IndexEntry[],
): Promise<void> => {
  // First: what is delivered at once must not be taken for what is at work still.
  for (const one of taken) one.end();
  await tellIndex(tools, { put: entries, remove: [] });
  for (const one of taken) one.settle();
};

/** In the index alone: the rows stay due, so that any node may take them. */
export const putBackAt = (
  tools: FiringTools,
  timers: readonly Timer[],
  { fireAtMs, reason }: { readonly fireAtMs: number; readonly reason: PutBackReason },
): readonly IndexEntry[] => {
  if (timers.length > 0) tools.observe({ type: 'put-back', reason, count: timers.length });
  return timers.map((timer) => ({ ...entryOf(timer), fireAtMs: Math.floor(fireAtMs) }));
};

/** Entries of timers that this process will not fire, for others. */
export const giveBack = (tools: FiringTools, timers: readonly Timer[]): readonly IndexEntry[] => {
  if (timers.length > 0) tools.observe({ type: 'put-back', reason: 'stopping', count: timers.length });
  return timers.map(entryOf);
};

interface Deferred {
  /** The rows as they are now. */
  readonly timers: readonly Timer[];
  /** Entries of the others: locked, moved, or the world failed. */
  readonly others: readonly IndexEntry[];
}

/** Defers rows, or says when to look at those again that could not be deferred. Of things it is the home that is held. */
export const deferRows = async (
  tools: FiringTools,
  timers: readonly Timer[],
  deferralOf: (timer: Timer, at: number) => { readonly byMs: number; readonly claims: 1 | 0 | -1 },
): Promise<Deferred> => {
  try {
    if (timers.length > 0 && timers.every(({ id }) => isOfThing(id))) {
      const nowMs = Math.floor(tools.storeClock.nowMs());
      const later = timers.map((timer, at) => ({ ...timer, fireAtMs: nowMs + deferralOf(timer, at).byMs }));
      // Of several timers of a home the last one's time.
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
    if (others.length > 0) tools.observe({ type: 'put-back', reason: 'locked', count: others.length });
    return { timers: deferred, others: others.map((timer) => retryAfterLock(timer, nowMs)) };
  } catch (error) {
    return { timers: [], others: retrySoon(tools, timers, error) };
  }
};

/** What the index is not told now is found by the sweeper. */
export const tellIndex = async (tools: FiringTools, changes: IndexChanges): Promise<void> => {
  try {
    await tools.indexWriter.apply(changes);
  } catch (error) {
    tools.log.error({ err: error, count: changes.put.length }, 'the index was not updated: timers come again late');
  }
};
