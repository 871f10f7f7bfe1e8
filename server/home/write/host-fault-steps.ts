// How a home goes on whose game refused what it brings, or whose rules failed. The batch is rolled back, so which order is
// to blame, or whether settling is, is found out by trying less each time:
//
// | step          | what the next batch does          | refused again       |
// |---------------|-----------------------------------|---------------------|
// | (none)        | all tasks                         | one order: `without-order`, several: `one-by-one`, none: `stand-still` |
// | one-by-one    | tasks up to the first order       | `without-order`     |
// | without-order | the same, and that order is refused | `stand-still`     |
// | stand-still   | all tasks; nothing is settled     | all tasks fail      |

import { isA } from '../../../shared/game-code.ts';
import { RefusedByHost } from '../../../shared/host-rows.ts';
import type { Rejection } from '../../../shared/protocol.ts';
import type { ModuleFault } from '../../domain/module-fault.ts';
import { rejectionOfHost } from '../model/host-fault.ts';
import type { PlayerOrders } from './batch.ts';
import { RulesTookTooLong } from './slow-rules.ts';
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
