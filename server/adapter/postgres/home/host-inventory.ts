import type { Items } from '../../../../shared/items.ts';
import { HostFault } from '../../../home/model/host-fault.ts';
import type { Inventory } from '../../../home/model/inventory.ts';
import { isWorldFault } from '../world-fault.ts';

/** The game's own inventory: what it throws is named as its own, and what it returns is checked. */
export const hostInventory = (inventory: Inventory): Inventory => ({
  load: (tx, playerIds) =>
    named('inventory/load', async () => {
      const stocks = await inventory.load(tx, playerIds);
      return new Map([...stocks].map(([playerId, items]) => [playerId, checked(playerId, items)]));
    }),
  apply: (tx, moves) => named('inventory/apply', () => inventory.apply(tx, moves)),
});

const named = async <Value>(code: 'inventory/load' | 'inventory/apply', work: () => Promise<Value>) => {
  try {
    return await work();
  } catch (error) {
    throw new HostFault(code, error, isWorldFault(error));
  }
};

/** Whole numbers as such: `pg` returns bigint as text, and text plus one is another text. What there is none of is left out. */
const checked = (playerId: string, items: Items): Items => {
  for (const [item, count] of Object.entries(items)) {
    if (Number.isSafeInteger(count) && count >= 0) continue;
    throw new TypeError(`${playerId} has ${JSON.stringify(count)} of ${item}: that is no whole number of 0 or more`);
  }
  return Object.fromEntries(Object.entries(items).filter(([, count]) => count > 0));
};
