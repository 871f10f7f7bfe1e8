import { isA } from '../../../shared/game-code.ts';
import type { Rejection } from '../../../shared/protocol.ts';
import type { ModuleFault } from '../../domain/module-fault.ts';
import { rejectionOfHost } from '../model/host-fault.ts';
import type { PlayerOrders } from './batch.ts';
import { RulesTookTooLong } from './slow-rules.ts';
import type { HostFaultOf, PlayerTasks, Task } from './write-queue.ts';

/** What of a player's tasks the next batch does. */
export interface Turn extends PlayerOrders {
  readonly player: PlayerTasks;
  readonly now: readonly Task[];
  readonly later: readonly Task[];
  /** What the only order is told that is left out. */
  readonly refusal: Rejection | undefined;
}

/** Everything; after a no of the game's own rows one order, then what is left without that order, then nothing at all. */
export const turnOf = (player: PlayerTasks): Turn => {
  const { playerId, tasks, hostFault, ahead } = player;
  const first = tasks.findIndex(({ order }) => order !== undefined);
  const isAll = !hostFault || hostFault.step === 'stand-still' || first === -1;
  const now = isAll ? tasks : tasks.slice(0, first + 1);
  const orders = now.flatMap(({ order }) => order ?? []);
  const later = isAll ? [] : tasks.slice(first + 1);
  const turn = { player, playerId, now, later, orders, refusal: undefined, ahead };
  if (hostFault?.step === 'stand-still') return { ...turn, standsStill: hostFault.fault };
  if (hostFault?.step === 'without-order') return { ...turn, orders: [], refusal: rejectionOfHost(hostFault.fault) };
  return turn;
};

/** How to go on with a player whom the game's own rows said no to, or whose rules ran for too long. */
export const afterHostFault = ({ tasks, hostFault }: PlayerTasks, fault: ModuleFault): HostFaultOf => {
  const orders = tasks.filter(({ order }) => order !== undefined).length;
  if (orders === 0 || hostFault?.step === 'without-order') return { fault, step: 'stand-still' };
  // A machine that was paused looks like a slow rule: the same order is tried once more.
  const isKnown = orders === 1 && !isA(fault.thrown, RulesTookTooLong);
  return { fault, step: hostFault || isKnown ? 'without-order' : 'one-by-one' };
};

/** Those without the one that the game named, and that one; where it named none of them, two halves. */
export const partsWithout = (
  players: readonly PlayerTasks[],
  named: string | undefined,
): readonly (readonly PlayerTasks[])[] => {
  const others = players.filter(({ playerId }) => playerId !== named);
  const half = Math.ceil(players.length / 2);
  if (others.length === players.length) return [players.slice(0, half), players.slice(half)];
  return [others, players.filter(({ playerId }) => playerId === named)];
};
