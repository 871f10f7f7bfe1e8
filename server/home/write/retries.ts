// When a home is tried again. Pauses for one that was locked or failed stand below; a home whose game refused what it
// brings, or whose rules failed, tries less each time, since its batch does not say which order is to blame:
//
// | step          | the next batch                | after another refusal                                     |
// |---------------|-------------------------------|-----------------------------------------------------------|
// | (none)        | all tasks                     | several orders: one-by-one, one: without-order, none: stand-still |
// | one-by-one    | tasks up to the first order   | without-order                                             |
// | without-order | the same; its order is refused | stand-still                                              |
// | stand-still   | all tasks; nothing settles    | all tasks fail                                            |

import { isA } from '../../../shared/game-code.ts';
import { RefusedByHost } from '../../../shared/host-rows.ts';
import { type Rejection, reject } from '../../../shared/protocol.ts';
import { refused } from '../../../shared/result.ts';
import type { ModuleFault } from '../../domain/module-fault.ts';
import type { StoreFault } from '../model/faults.ts';
import { rejectionOfHost } from '../model/faults.ts';
import { RulesTookTooLong } from '../model/home-measurement.ts';
import type { Outcome } from '../model/homes.ts';
import type { PlayerOrders } from './batch.ts';
import type { HomeTask, HostFaultStep, PlayerTasks } from './write-queue.ts';

/** What one batch does of a player's tasks. */
export interface BatchEntry extends PlayerOrders {
  readonly player: PlayerTasks;
  readonly now: readonly HomeTask[];
  readonly later: readonly HomeTask[];
  /** The outcome of the only order, which is left out. */
  readonly refusal: Rejection | undefined;
}

export const batchEntryOf = (player: PlayerTasks): BatchEntry => {
  const { playerId, tasks, hostFault, ahead } = player;
  const first = tasks.findIndex(({ order }) => order !== undefined);
  const isAll = !hostFault || hostFault.step === 'stand-still' || first === -1;
  const now = isAll ? tasks : tasks.slice(0, first + 1);
  const later = isAll ? [] : tasks.slice(first + 1);
  const orders = now.flatMap(({ order }) => order ?? []);
  const entry = { player, playerId, now, later, orders, refusal: undefined, ahead };
  if (hostFault?.step === 'stand-still') return { ...entry, standsStill: hostFault.fault };
  if (hostFault?.step === 'without-order') return { ...entry, orders: [], refusal: rejectionOfHost(hostFault.fault) };
  return entry;
};

/** The step after a batch of this player alone was refused; undefined after the last one. */
export const nextStep = ({ tasks, hostFault }: PlayerTasks, fault: ModuleFault): HostFaultStep | undefined => {
  if (hostFault?.step === 'stand-still') return undefined;
  const orders = tasks.filter(({ order }) => order !== undefined).length;
  if (orders === 0 || hostFault?.step === 'without-order') return { fault, step: 'stand-still' };
  // A machine that was paused looks like a slow rule: the same order is tried once more.
  const isKnown = orders === 1 && !isA(fault.thrown, RulesTookTooLong);
  return { fault, step: hostFault || isKnown ? 'without-order' : 'one-by-one' };
};

/** The player whom the game named, or whose rules took too long. */
export const refusedPlayer = ({ thrown }: ModuleFault): string | undefined =>
  isA(thrown, RefusedByHost) || isA(thrown, RulesTookTooLong) ? thrown.playerId : undefined;

/** Of a batch that failed: the others, and the one whom the fault names; where it names none of them, two halves. */
export const partsAfter = (
  players: readonly PlayerTasks[],
  fault: ModuleFault | undefined,
): readonly (readonly PlayerTasks[])[] => {
  const named = fault && refusedPlayer(fault);
  const others = players.filter(({ playerId }) => playerId !== named);
  const half = Math.ceil(players.length / 2);
  if (others.length === players.length) return [players.slice(0, half), players.slice(half)];
  return [others, players.filter(({ playerId }) => playerId === named)];
};

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

/** What goes on when a batch had no room for all that was due. Its fires wait for some batches only. */
export const inNextSlice = (player: PlayerTasks, error: StoreFault): PlayerTasks => {
  const later = player.slices + 1 < FIRE_SLICES ? player : withoutFires(player, error);
  later.slices += 1;
  later.tries = 0;
  return later;
};

/** Fires fail at once instead of waiting: their timers are due still, and are retried. */
export const withoutFires = (player: PlayerTasks, error: unknown): PlayerTasks => {
  for (const task of player.tasks) if (task.isFire) task.failed(error);
  return { ...player, tasks: player.tasks.filter((task) => !task.isFire) };
};

/** Too many commands of a player wait. */
export const tooMany = (): Outcome => refused(reject('rate/limited', { retryAfterMs: RETRY_AFTER_MS }));

export const unavailable = (): Outcome => refused(reject('server/unavailable'));
