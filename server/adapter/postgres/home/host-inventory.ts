import { callGame, type GameFault, handleRejections, peek, textOf } from '../../../../shared/game-code.ts';
import type { Items } from '../../../../shared/items.ts';
import { HostFault, type HostPart } from '../../../home/model/faults.ts';
import type { Inventory } from '../../../home/model/inventory.ts';
import { lend } from '../lend.ts';
import { isContention, isWorldFault } from '../world-fault.ts';

/** The game's own inventory, bounded and checked. Our code calls no other: the game's may lack a method. */
export type HostInventory = Required<Inventory>;

/** Bounds the game's own inventory: its errors become faults of the game, and its results are checked. */
export const hostInventory = (inventory: Inventory): HostInventory => ({
  load: (tx, playerIds) =>
    named('inventory/load', async () => {
      const stocks = await lend(tx, (lent) => inventory.load(lent, playerIds));
      try {
        return new Map([...stocks].map(([playerId, items]) => [playerId, checked(playerId, items)]));
      } catch (thrown) {
        handleRejections(peek(() => [...stocks]) ?? stocks);
        throw thrown;
      }
    }),
  apply: (tx, moves) => named('inventory/apply', () => lend(tx, (lent) => inventory.apply(lent, moves))),
  erase: (tx, playerIds) => named('inventory/erase', () => lend(tx, (lent) => inventory.erase?.(lent, playerIds))),
  merge: (tx, players) => named('inventory/merge', () => lend(tx, (lent) => inventory.merge?.(lent, players))),
});

const named = <Value>(code: HostPart, work: () => Promise<Value>): Promise<Value> =>
  callGame(code, work).catch((fault: GameFault) => {
    throw new HostFault(code, fault, isWorldFault(fault) || isContention(fault));
  }) as Promise<Value>;

/** Counts must be whole numbers: `pg` returns bigint as text, and text plus one is another text. Drops items with count 0. */
const checked = (playerId: string, items: Items): Items => {
  for (const [item, count] of Object.entries(items)) {
    if (Number.isSafeInteger(count) && count >= 0) continue;
    throw new TypeError(
      `${playerId} has ${typeof count === 'string' ? JSON.stringify(count) : textOf(count)} of ${item}: that is no whole number of 0 or more`,
    );
  }
  return Object.fromEntries(Object.entries(items).filter(([, count]) => count > 0));
};
