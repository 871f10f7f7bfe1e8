import { type HostInventory, hostInventory } from '../server/adapter/postgres/home/host-inventory.ts';
import type { Inventory, ItemMove } from '../server/home/model/inventory.ts';
import type { Tx } from '../server/timer/model/timer-store.ts';
import type { Items } from '../shared/items.ts';
import { hold, same } from './claims.ts';
import { fails, Outside } from './outside.ts';

/** A game's own inventory, with the tools to try it. */
export interface InventoryUnderTest {
  readonly inventory: Inventory;
  /** Runs `work` in a transaction on its own connection: commits at its end, rolls back when it throws. Two may run at once. */
  transaction<Answer>(work: (tx: Tx) => Promise<Answer>): Promise<Answer>;
  /** Two items that it can store. */
  readonly items: readonly [string, string];
  /** Makes another player without items each time. Default: a new id. */
  newPlayer?(): Promise<string>;
  /**
   * The game's own way to take items, without Kibble. Throws if there are not enough. Missing: only Kibble changes
   * these stocks, so the lock of the home suffices.
   */
  takeOutside?(tx: Tx, playerId: string, item: string, count: number): Promise<void>;
}

/** One promise of an inventory. */
export interface InventoryClaim {
  readonly title: string;
  /** Throws if the promise is broken. */
  check(under: InventoryUnderTest): Promise<void>;
}

/**
 * Kibble's requirements of an inventory, for any test runner: `for (const { title, check } of inventoryContract)
 * it(title, () => check(mine))`. Leaves players and items behind.
 */
export const inventoryContract: readonly InventoryClaim[] = [
  {
    title: 'gives what it was given and takes what was taken, once, for several players and items',
    check: async (under) => {
      const { items } = under;
      const [anna, bob] = [await playerOf(under), await playerOf(under)];
      await applied(under, [moveOf(anna, items[0], 5), moveOf(bob, items[0], 2), moveOf(anna, items[1], 1)]);
      same(await stocksOf(under, [anna, bob]), [{ [items[0]]: 5, [items[1]]: 1 }, { [items[0]]: 2 }]);
      await applied(under, [moveOf(anna, items[0], -3), moveOf(anna, items[1], -1)]);
      same(await stocksOf(under, [anna, bob]), [{ [items[0]]: 2 }, { [items[0]]: 2 }]);
    },
  },
  {
    title: 'adds up several moves of one item',
    check: async (under) => {
      const player = await playerOf(under);
      const [item] = under.items;
      await applied(under, [moveOf(player, item, 1), moveOf(player, item, 3), moveOf(player, item, -2)]);
      same(await stocksOf(under, [player]), [{ [item]: 2 }]);
    },
  },
  {
    title: 'answers counts as whole numbers, for the players asked for and no others',
    check: async (under) => {
      const [anna, bob] = [await playerOf(under), await playerOf(under)];
      const [item] = under.items;
      await applied(under, [moveOf(anna, item, 7), moveOf(bob, item, 1)]);
      const loaded = await under.transaction((tx) => asKibble(under).load(tx, [anna]));
      hold(!loaded.has(bob), 'load answers a player who was not asked for');
      for (const count of Object.values(loaded.get(anna) ?? {})) {
        hold(Number.isSafeInteger(count), `load answers ${JSON.stringify(count)}, a ${typeof count}, as a count`);
      }
    },
  },
  {
    title: 'shows a transaction what it did itself',
    check: async (under) => {
      const player = await playerOf(under);
      const [item] = under.items;
      await under.transaction(async (tx) => {
        await asKibble(under).load(tx, [player]);
        await asKibble(under).apply(tx, [moveOf(player, item, 4)]);
        same(stockIn(await asKibble(under).load(tx, [player]), player), { [item]: 4 });
      });
    },
  },
  {
    title: 'does nothing that outlives a rollback, and takes the same moves again afterwards',
    check: async (under) => {
      const player = await playerOf(under);
      const [item] = under.items;
      const move = moveOf(player, item, 4);
      const isUndone = await fails(() =>
        under.transaction(async (tx) => {
          await asKibble(under).apply(tx, [move]);
          throw new Error('taken back');
        }),
      );
      hold(isUndone, 'the transaction under test must throw what its work throws');
      same(await stocksOf(under, [player]), [{}]);
      await applied(under, [move]);
      same(await stocksOf(under, [player]), [{ [item]: 4 }]);
    },
  },
  {
    title: 'throws when a stock would become negative, and then nothing of the transaction is done',
    check: async (under) => {
      const player = await playerOf(under);
      const [one, other] = under.items;
      await applied(under, [moveOf(player, one, 2)]);
      hold(await fails(() => applied(under, [moveOf(player, other, 1), moveOf(player, one, -3)])), 'took 3 of 2 items');
      hold(await fails(() => applied(under, [moveOf(player, other, -1)])), 'took an item that was never there');
      same(await stocksOf(under, [player]), [{ [one]: 2 }]);
    },
  },
  {
    title: 'takes the moves of a large batch',
    check: async (under) => {
      const players: string[] = [];
      for (let at = 0; at < 100; at++) players.push(await playerOf(under));
      const [item] = under.items;
      await applied(
        under,
        players.flatMap((player) => Array.from({ length: 50 }, () => moveOf(player, item, 1))),
      );
      same(
        await stocksOf(under, players),
        players.map(() => ({ [item]: 50 })),
      );
    },
  },
  {
    title: 'changes nothing by load',
    check: async (under) => {
      const player = await playerOf(under);
      const [item] = under.items;
      await applied(under, [moveOf(player, item, 3)]);
      for (let times = 0; times < 2; times += 1) same(await stocksOf(under, [player]), [{ [item]: 3 }]);
    },
  },
  {
    title: 'erase removes the items of these players and of no others',
    check: async (under) => {
      if (!under.inventory.erase) return;
      const [anna, bob] = [await playerOf(under), await playerOf(under)];
      const [one, other] = under.items;
      await applied(under, [moveOf(anna, one, 3), moveOf(anna, other, 4), moveOf(bob, one, 2), moveOf(bob, other, 5)]);
      const isUndone = await fails(() =>
        under.transaction(async (tx) => {
          await asKibble(under).erase(tx, [anna]);
          throw new Error('taken back');
        }),
      );
      hold(isUndone, 'the transaction under test must throw what its work throws');
      same(await stocksOf(under, [anna]), [{ [one]: 3, [other]: 4 }]);
      await under.transaction(async (tx) => asKibble(under).erase(tx, [anna]));
      same(await stocksOf(under, [anna, bob]), [{}, { [one]: 2, [other]: 5 }]);
    },
  },
  {
    title: 'merge leaves the items as apply has moved them',
    check: async (under) => {
      if (!under.inventory.merge) return;
      const [from, into] = [await playerOf(under), await playerOf(under)];
      const [one, other] = under.items;
      await applied(under, [moveOf(from, one, 3), moveOf(from, other, 2), moveOf(into, one, 1)]);
      const moved = [moveOf(from, one, -3), moveOf(from, other, -2), moveOf(into, one, 3), moveOf(into, other, 2)];
      await under.transaction(async (tx) => {
        await asKibble(under).load(tx, [from, into]);
        await asKibble(under).apply(tx, moved);
        await asKibble(under).merge(tx, { from, into });
      });
      same(await stocksOf(under, [from, into]), [{}, { [one]: 4, [other]: 2 }]);
    },
  },
  {
    title: 'takeOutside(tx, playerId, item, count) takes so many of that item, in that transaction',
    check: async (under) => {
      if (!under.takeOutside) return;
      const player = await playerOf(under);
      const [item] = under.items;
      await applied(under, [moveOf(player, item, 3)]);
      await under.transaction(async (tx) => under.takeOutside?.(tx, player, item, 2));
      same(await stocksOf(under, [player]), [{ [item]: 1 }]);
    },
  },
  {
    title: 'locks what it loads: what the game takes by itself waits until the transaction has ended',
    check: async (under) => {
      if (!under.takeOutside) return;
      for (const item of under.items) {
        const player = await playerOf(under);
        await applied(under, [moveOf(player, item, 3)]);
        const outside = new Outside(under, async (tx) => under.takeOutside?.(tx, player, item, 2));
        await under.transaction(async (tx) => {
          same(stockIn(await asKibble(under).load(tx, [player]), player), { [item]: 3 });
          await outside.begin();
          hold(await outside.isHeldUp(tx), 'the game took items that were loaded, before the transaction had ended');
          await asKibble(under).apply(tx, [moveOf(player, item, -2)]);
        });
        hold(await outside.hasFailed(), 'the game took 2 of the 1 that was left');
        same(await stocksOf(under, [player]), [{ [item]: 1 }]);
      }
    },
  },
];

/** With the bounds that Kibble sets: each call has 5 s, leaves the transaction open, and answers whole numbers. */
const asKibble = ({ inventory }: InventoryUnderTest): HostInventory => hostInventory(inventory);

const playerOf = async (under: InventoryUnderTest): Promise<string> =>
  under.newPlayer ? under.newPlayer() : `contract-${crypto.randomUUID()}`;

let moves = 0;
const moveOf = (playerId: string, item: string, delta: number): ItemMove => {
  moves += 1;
  return { playerId, item, delta, reason: 'contract', key: `${playerId}~${moves}~${item}` };
};

/** Does it as Kibble does: load, which locks, then apply. */
const applied = (under: InventoryUnderTest, all: readonly ItemMove[]): Promise<void> =>
  under.transaction(async (tx) => {
    await asKibble(under).load(tx, [...new Set(all.map(({ playerId }) => playerId))]);
    await asKibble(under).apply(tx, all);
  });

const stocksOf = async (under: InventoryUnderTest, playerIds: readonly string[]): Promise<readonly Items[]> => {
  const stocks = await under.transaction((tx) => asKibble(under).load(tx, playerIds));
  return playerIds.map((playerId) => stockIn(stocks, playerId));
};

/** Items with count 0 may be left out. */
const stockIn = (stocks: ReadonlyMap<string, Items>, playerId: string): Items =>
  Object.fromEntries(Object.entries(stocks.get(playerId) ?? {}).filter(([, count]) => count !== 0));
