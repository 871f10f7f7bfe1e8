import { GameFault, isA, textOf } from '../../../shared/game-code.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { EngineLog } from '../../runtime/engine-log.ts';
import { throttle } from '../../runtime/throttle.ts';
import type { Observe } from '../model/engine-event.ts';
import { entryOf, type IndexEntry } from '../model/index-entry.ts';
import type { Timer } from '../model/timer.ts';
import { HandlerStuck } from '../model/timer-errors.ts';
import type { TimerUpdate } from '../model/timer-store.ts';
import type { FiringTools } from './firing-tools.ts';
import { NotRetryable } from './not-retryable.ts';
import { requeueAfterFault } from './requeue.ts';

const LOGGED_EVERY_MS = 1000;

/** The wait after each failed attempt of an own kind. After the fifteenth retry the timer is dead. */
export const ownRetryDelaysMs: readonly number[] = [
  15, 15, 30, 180, 600, 1200, 1800, 1800, 1800, 3600, 10_800, 10_800, 10_800, 21_600, 21_600,
].map((seconds) => seconds * 1000);

/** Timers of things never die: the last wait repeats. */
const LAST_HOME_DELAY_MS = 60_000;
const homeDelaysMs: readonly number[] = [1000, 2000, 5000, 15_000, LAST_HOME_DELAY_MS];

/** The column is a smallint, and a home may fail for years. */
const MOST_ATTEMPTS = 32_767;

/** A lost connection holds its locks until its statement has ended, 3 s at most. */
const SAVES_WHEN_STUCK = 8;
const SAVE_AGAIN_MS = 500;

/** Saves a failed attempt of an own timer, which is retried by the table or dies. Returns the entry of a retry. Never throws. */
export const failOwn = async (
  tools: FiringTools,
  timer: Timer,
  error: unknown,
  delaysMs?: readonly number[],
): Promise<readonly IndexEntry[]> => {
  const update = ownFailure(tools, timer, error, delaysMs);
  tools.observe({ type: update.state === 'dead' ? 'dead' : 'failed', timer, error });
  for (let left = error instanceof HandlerStuck ? SAVES_WHEN_STUCK : 0; ; left -= 1) {
    try {
      const saved = await tools.store.save([update]);
      return saved.filter((after) => after.state === 'scheduled').map(entryOf);
    } catch (fault) {
      if (left === 0 || !tools.store.isContention(fault)) return requeueAfterFault(tools, [timer], fault);
      await new Promise<void>((resolve) => void tools.clock.after(SAVE_AGAIN_MS, resolve));
    }
  }
};

/** Returns the update of an own kind's row after a failed attempt. */
export const ownFailure = (
  tools: FiringTools,
  timer: Timer,
  error: unknown,
  delaysMs: readonly number[] = ownRetryDelaysMs,
): TimerUpdate => {
  const isLast = isA(isA(error, GameFault) ? error.thrown : error, NotRetryable);
  const delayMs = isLast ? undefined : delaysMs[timer.attempt];
  return {
    timerId: timer.id,
    revision: timer.revision,
    state: delayMs === undefined ? 'dead' : 'scheduled',
    fireAtMs: delayMs === undefined ? timer.fireAtMs : Math.floor(tools.storeClock.nowMs()) + delayMs,
    attempt: nextAttempt(timer.attempt),
    lastError: textOf(error),
  };
};

/** A home that could not be settled, and its due timers. */
export interface FailedHome {
  readonly timers: readonly Timer[];
  readonly error: unknown;
}

/** Holds homes that could not be settled: their stuck timers are retried forever. Returns their entries. Never throws. */
export const failHomes = async (tools: FiringTools, failed: readonly FailedHome[]): Promise<readonly IndexEntry[]> => {
  if (failed.length === 0) return [];
  for (const { timers, error } of failed) for (const timer of timers) tools.observe({ type: 'stuck', timer, error });
  const nowMs = Math.floor(tools.storeClock.nowMs());
  const holds = failed.map(({ timers, error }) => {
    const attempt = Math.max(...timers.map((timer) => timer.attempt));
    const untilMs = nowMs + (homeDelaysMs[attempt] ?? LAST_HOME_DELAY_MS);
    return { owner: timers[0]?.owner ?? '', untilMs, attempt: nextAttempt(attempt), lastError: textOf(error) };
  });
  try {
    await tools.store.hold(holds);
    return failed.flatMap(({ timers }, at) =>
      timers.map((timer) => ({ ...entryOf(timer), fireAtMs: holds[at]?.untilMs ?? nowMs })),
    );
  } catch (fault) {
    const timers = failed.flatMap((home) => home.timers);
    return requeueAfterFault(tools, timers, fault);
  }
};

const nextAttempt = (attempt: number): number => Math.min(attempt + 1, MOST_ATTEMPTS);

/** Logs per kind and second at most one failed attempt and one dead timer, with the number of omitted lines. */
export const attemptLog = (log: EngineLog, clock: Pick<Clock, 'monotonicMs'>): Observe => {
  const limit = throttle(clock, LOGGED_EVERY_MS);
  return (event) => {
    if (event.type !== 'failed' && event.type !== 'dead' && event.type !== 'stuck') return;
    const { kind, id: timerId } = event.timer;
    const line = limit(`${event.type} ${kind}`);
    if (!line) return;
    const attempt = event.timer.attempt + 1;
    const err = isA(event.error, GameFault) ? event.error : new GameFault(`timer of kind "${kind}"`, event.error);
    if (event.type === 'dead') log.error({ err, kind, timerId, attempt, leftOut: line.leftOut }, 'a timer is dead');
    else log.warn({ err, kind, timerId, attempt, leftOut: line.leftOut }, 'a timer failed, and is tried again');
  };
};
