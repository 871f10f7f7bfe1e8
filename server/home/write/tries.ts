// When a home is tried again that was locked, failed, or had more to settle than fits into a batch, and what is said at the end.
import { reject } from '../../../shared/protocol.ts';
import { refused } from '../../../shared/result.ts';
import type { Outcome } from '../model/homes.ts';
import type { StoreFault } from '../model/store-fault.ts';
import type { PlayerTasks } from './write-queue.ts';

/**
 * Pauses before a home is tried again that another transaction has locked: 2.4 s in all, longer than a session may be idle in
 * a transaction, so that what a frozen process held is free by then. It does not wait for the lock itself: that would
 * take a connection a home.
 */
const LOCKED_PAUSES_MS = [0, 5, 10, 20, 40, 80, 150, 250, 250, 250, 250, 250, 250, 250, 345];
/** The same after a transaction that failed. When all are over, the outcome is `server/unavailable`. */
const FAILED_PAUSES_MS = [0, 5, 10];
const RETRY_AFTER_MS = 1_000;
/** A fire waits for so many batches of a home that has more to settle than fits into one, then it comes again. */
const FIRE_SLICES = 10;

/** Undefined when it was tried often enough. */
export const pauseBefore = ({ tries }: PlayerTasks, { kind }: StoreFault): number | undefined =>
  (kind === 'locked' ? LOCKED_PAUSES_MS : FAILED_PAUSES_MS)[tries];

export const mayFireGoOn = ({ slices }: PlayerTasks): boolean => slices + 1 < FIRE_SLICES;

/** The fires go back to the timers, which do not wait for one home: it is due still, and comes again soon. */
export const withoutFires = (player: PlayerTasks, error: unknown): PlayerTasks => {
  for (const task of player.tasks) if (task.isFire) task.failed(error);
  return { ...player, tasks: player.tasks.filter((task) => !task.isFire) };
};

/** Too many commands of a player wait. */
export const tooMany = (): Outcome => refused(reject('rate/limited', { retryAfterMs: RETRY_AFTER_MS }));

export const unavailable = (): Outcome => refused(reject('server/unavailable'));
