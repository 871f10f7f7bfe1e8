// When a home is tried again. The pauses for a locked or failed home stand below. If the game refused a home's changes or
// its rules failed, each retry contains less, since the fault does not say which order is to blame:
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
import { moduleFaultIn, rejectionOfHost, StoreFault } from '../model/faults.ts';
import { RulesTookTooLong } from '../model/home-measurement.ts';
import type { Outcome } from '../model/homes.ts';
import type { PlayerOrders } from './batch.ts';
import type { HomeTask, HostFaultStep, PlayerTasks } from './write-queue.ts';

/** The part of a player's tasks that one batch does. */
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

/** The step after a batch of only this player was refused; undefined after the last one. */
export const nextStep = ({ tasks, hostFault }: PlayerTasks, fault: ModuleFault): HostFaultStep | undefined => {
  if (hostFault?.step === 'stand-still') return undefined;
  const orders = tasks.filter(({ order }) => order !== undefined).length;
  if (orders === 0 || hostFault?.step === 'without-order') return { fault, step: 'stand-still' };
  // A paused machine looks like slow rules, so the same order is tried once more.
  const isKnown = orders === 1 && !isA(fault.thrown, RulesTookTooLong);
  return { fault, step: hostFault || isKnown ? 'without-order' : 'one-by-one' };
};

/** The player that the game named, or the one with too slow rules. */
export const refusedPlayer = ({ thrown }: ModuleFault): string | undefined =>
  isA(thrown, RefusedByHost) || isA(thrown, RulesTookTooLong) ? thrown.playerId : undefined;

/** Parts run one after the other: if each fails slowly, the database is to blame, and no home. */
const MOST_IN_PARTS_MS = 5_000;

/**
 * Splits a batch that failed so long after its begin: the player that the fault names alone, and the others; without
 * such a player two halves. None: the batch is not tried again.
 */
export const partsAfter = (
  players: readonly PlayerTasks[],
  error: unknown,
  tookMs: number,
): readonly (readonly PlayerTasks[])[] => {
  if (!(error instanceof StoreFault && error.kind === 'failed') || players.length < 2) return [];
  const fault = moduleFaultIn(error);
  if (!fault && tookMs >= MOST_IN_PARTS_MS) return [];
  const named = fault && refusedPlayer(fault);
  const others = players.filter(({ playerId }) => playerId !== named);
  const half = Math.ceil(players.length / 2);
  if (others.length === players.length) return [players.slice(0, half), players.slice(half)];
  return [others, players.filter(({ playerId }) => playerId === named)];
};

/**
 * Pauses before a locked home is retried: 2.4 s in all, longer than a session may be idle in a transaction, so the
 * locks of a frozen process are released by then. It does not wait in the database: that would take a connection for
 * each home.
 */
const LOCKED_PAUSES_MS = [0, 5, 10, 20, 40, 80, 150, 250, 250, 250, 250, 250, 250, 250, 345];
/** The same after a failed transaction. After the last pause the outcome is `server/unavailable`. */
const FAILED_PAUSES_MS = [0, 5, 10];
const RETRY_AFTER_MS = 1_000;
/** A fire waits for so many batches of a home with much to settle; then its timer is retried. */
const FIRE_SLICES = 10;

/** Undefined after the last try. */
export const pauseBefore = ({ tries }: PlayerTasks, { kind }: StoreFault): number | undefined =>
  (kind === 'locked' ? LOCKED_PAUSES_MS : FAILED_PAUSES_MS)[tries];

/** The tasks that go on after a batch without room for all that was due. Fires wait only for some batches. */
export const inNextSlice = (player: PlayerTasks, error: StoreFault): PlayerTasks => {
  const later = player.slices + 1 < FIRE_SLICES ? player : withoutFires(player, error);
  later.slices += 1;
  later.tries = 0;
  return later;
};

/** Fires fail at once instead of waiting: their timers stay due and are retried. */
export const withoutFires = (player: PlayerTasks, error: unknown): PlayerTasks => {
  for (const task of player.tasks) if (task.isFire) task.failed(error);
  return { ...player, tasks: player.tasks.filter((task) => !task.isFire) };
};

/** The outcome when too many commands of a player wait. */
export const tooMany = (): Outcome => refused(reject('rate/limited', { retryAfterMs: RETRY_AFTER_MS }));

export const unavailable = (): Outcome => refused(reject('server/unavailable'));
