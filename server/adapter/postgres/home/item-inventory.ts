import type { Inventory, ItemMove } from '../../../home/model/inventory.ts';
import type { Tx } from '../../../timer/model/timer-store.ts';
import { type RunHomeSql, runHomeSql } from './home-sql.ts';

/** Items in our own table. The home's lock guards them; a stock below 0 is refused by the table. */
export class ItemInventory implements Inventory {
  readonly #run: RunHomeSql;

  constructor(schema: string) {
    this.#run = runHomeSql(schema);
  }

  async load(tx: Tx, playerIds: readonly string[]): Promise<ReadonlyMap<string, Record<string, number>>> {
    const rows = await this.#run<{ player_id: string; item: string; count: string }>(tx, 'items', [playerIds]);
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
    const sums = new Map<string, ItemMove>();
    for (const move of moves) {
      const key = `${move.playerId} ${move.item}`;
      sums.set(key, { ...move, delta: move.delta + (sums.get(key)?.delta ?? 0) });
    }
    const rows = [...sums.values()];
    const columns = [rows.map(({ playerId }) => playerId), rows.map(({ item }) => item)];
    await this.#run(tx, 'moveItems', [...columns, rows.map(({ delta }) => delta)]);
  }
}
