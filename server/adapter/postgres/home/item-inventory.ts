import type { Inventory, ItemMove } from '../../../home/model/inventory.ts';
import type { Tx } from '../../../timer/model/timer-store.ts';
import { query } from '../statement.ts';
import { type HomeSql, homeSql } from './home-sql.ts';

/** Items in our own table. The home's lock guards them; a stock below 0 is refused by the table. */
export class ItemInventory implements Inventory {
  readonly #schema: string;
  readonly #sql: HomeSql;

  constructor(schema: string) {
    this.#schema = schema;
    this.#sql = homeSql(schema);
  }

  async load(tx: Tx, playerIds: readonly string[]): Promise<ReadonlyMap<string, Record<string, number>>> {
    const rows = await query<{ player_id: string; item: string; count: string }>(tx, {
      name: `${this.#schema}.items`,
      text: this.#sql.items,
      values: [playerIds],
    });
    const stocks = new Map<string, Record<string, number>>();
    for (const { player_id, item, count } of rows) {
      if (Number(count) === 0) continue;
      const stock = stocks.get(player_id) ?? {};
      stock[item] = Number(count);
      stocks.set(player_id, stock);
    }
    return stocks;
  }

  async apply(tx: Tx, moves: readonly ItemMove[]): Promise<void> {
    if (moves.length === 0) return;
    await query(tx, {
      name: `${this.#schema}.moveItems`,
      text: this.#sql.moveItems,
      values: [moves.map((move) => move.playerId), moves.map((move) => move.item), moves.map((move) => move.delta)],
    });
  }
}
