import { GameFault, isA, textOf } from '../../../../shared/game-code.ts';
import { entryOf, type IndexEntry } from '../../model/index-entry.ts';
import type { Timer } from '../../model/timer.ts';
import type { TimerUpdate } from '../../model/timer-store.ts';
import type { FiringTools } from './firing-tools.ts';
import { NotRetryable } from './not-retryable.ts';
import { derivedRetryDelayMs, ownRetryDelaysMs } from './retry.ts';

const WORLD_FAULT_MS = 500;

/** Saves that an own kind's timer failed: it is tried again by the table, or is dead. Returns its entry, if it comes again. */
export const failOwn = async (
  tools: FiringTools,
  timer: Timer,
  error: unknown,
  delaysMs?: readonly number[],
): Promise<readonly IndexEntry[]> => {
  const update = ownFailure(tools, timer, error, delaysMs);
  tools.observe({ type: update.state === 'dead' ? 'dead' : 'failed', timer, error });
  return save(tools, timer, update);
};

/** What a failed attempt makes of the row of an own kind. */
export const ownFailure = (
  tools: FiringTools,
  timer: Timer,
  error: unknown,
  delaysMs: readonly number[] = ownRetryDelaysMs,
): TimerUpdate => {
  const isLast = isA(isA(error, GameFault) ? error.thrown : error, NotRetryable);
  const delayMs = isLast ? undefined : delaysMs[timer.attempt];
  const isDead = delayMs === undefined;
  return updateOf(tools, timer, error, isDead ? { state: 'dead', delayMs: 0 } : { state: 'scheduled', delayMs });
};

/** A home that could not be settled, and its timers that are due. */
interface FailedHome {
  readonly timers: readonly Timer[];
  readonly error: unknown;
}

/** Holds homes that could not be settled: their timers are stuck, and tried again for ever. Returns their entries. Never throws. */
export const failHomes = async (
  tools: FiringTools,
  failures: readonly FailedHome[],
): Promise<readonly IndexEntry[]> => {
  if (failures.length === 0) return [];
  for (const { timers, error } of failures) for (const timer of timers) tools.observe({ type: 'stuck', timer, error });
  const nowMs = Math.floor(tools.storeClock.nowMs());
  const holds = failures.map(({ timers, error }) => {
    const attempt = Math.max(...timers.map((timer) => timer.attempt));
    const untilMs = nowMs + derivedRetryDelayMs(attempt);
    return { owner: timers[0]?.owner ?? '', untilMs, attempt: nextAttempt(attempt), lastError: textOf(error) };
  });
  try {
    await tools.store.hold(holds);
    return failures.flatMap(({ timers }, at) =>
      timers.map((timer) => ({ ...entryOf(timer), fireAtMs: holds[at]?.untilMs ?? nowMs })),
    );
  } catch (fault) {
    return retrySoon(
      tools,
      failures.flatMap(({ timers }) => timers),
      fault,
    );
  }
};

/** The column is a smallint, and a home may fail for years. */
const nextAttempt = (attempt: number): number => Math.min(attempt + 1, 32_767);

/** The world failed, not the timers: their entries for another try, uncounted, in the index alone. */
export const retrySoon = (tools: FiringTools, timers: readonly Timer[], error: unknown): readonly IndexEntry[] => {
  const [first] = timers;
  tools.log.warn(
    { err: error, kind: first?.kind, timerId: first?.id, count: timers.length },
    'firing failed; again soon',
  );
  tools.observe({ type: 'put-back', reason: 'world-fault', count: timers.length });
  const fireAtMs = Math.floor(tools.storeClock.nowMs()) + WORLD_FAULT_MS;
  return timers.map((timer) => ({ ...entryOf(timer), fireAtMs }));
};

const updateOf = (
  tools: FiringTools,
  timer: Timer,
  error: unknown,
  { state, delayMs }: { readonly state: 'dead' | 'scheduled'; readonly delayMs: number },
): TimerUpdate => ({
  timerId: timer.id,
  revision: timer.revision,
  state,
  fireAtMs: state === 'dead' ? timer.fireAtMs : Math.floor(tools.storeClock.nowMs()) + delayMs,
  attempt: nextAttempt(timer.attempt),
  lastError: textOf(error),
});

/** Never throws: what cannot be saved comes again soon, and the log says of which timer. */
const save = async (tools: FiringTools, timer: Timer, update: TimerUpdate): Promise<readonly IndexEntry[]> => {
  try {
    const saved = await tools.store.save([update]);
    return saved.filter((after) => after.state === 'scheduled').map(entryOf);
  } catch (fault) {
    return retrySoon(tools, [timer], fault);
  }
};
