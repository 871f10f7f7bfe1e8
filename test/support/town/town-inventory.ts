import type { Inventory } from '../../../server/home/model/inventory.ts';
import type { Tx } from '../../../server/timer/model/timer-store.ts';

/** Faults of an inventory; a game may well have each of them. */
export type InventoryFault =
  | 'no lock'
  | 'applied twice'
  | 'wrong sign'
  | 'silent overdraw'
  | 'overdraw to below zero'
  | 'counts as text'
  | 'own connection'
  | 'last move wins';

export const TOWN_TABLE = `create table if not exists town_item (
  hero text not null, thing text not null, amount bigint not null, primary key (hero, thing))`;

/** A game's own table of items, as a game would write it, with two statements where one would do. */
export const townInventory = (fault?: InventoryFault, elsewhere?: Tx): Inventory => ({
  load: async (tx, playerIds) => {
    const lock = fault === 'no lock' ? '' : 'order by hero, thing for update';
    const { rows } = await tx.query(`select hero, thing, amount from town_item where hero = any($1) ${lock}`, [
      playerIds,
    ]);
    const stocks = new Map<string, Record<string, number>>();
    for (const { hero, thing, amount } of rows as { hero: string; thing: string; amount: string }[]) {
      const stock = stocks.get(hero) ?? {};
      stock[thing] = fault === 'counts as text' ? (String(amount) as never) : Number(amount);
      stocks.set(hero, stock);
    }
    return stocks;
  },
  apply: async (tx, moves) => {
    const on = fault === 'own connection' && elsewhere ? elsewhere : tx;
    const sign = fault === 'wrong sign' ? -1 : 1;
    const sums = new Map<string, { hero: string; thing: string; delta: number }>();
    for (const { playerId, item, delta } of moves) {
      const before = fault === 'last move wins' ? 0 : (sums.get(`${playerId} ${item}`)?.delta ?? 0);
      sums.set(`${playerId} ${item}`, { hero: playerId, thing: item, delta: before + sign * delta });
    }
    for (let time = 0; time < (fault === 'applied twice' ? 2 : 1); time++) {
      await save(on, [...sums.values()], fault);
    }
  },
});

const save = async (
  tx: Tx,
  sums: readonly { readonly hero: string; readonly thing: string; readonly delta: number }[],
  fault: InventoryFault | undefined,
): Promise<void> => {
  const columns = [sums.map(({ hero }) => hero), sums.map(({ thing }) => thing), sums.map(({ delta }) => delta)];
  await tx.query(
    `insert into town_item (hero, thing, amount) select hero, thing, 0 from unnest($1::text[], $2::text[]) as m(hero, thing)
     on conflict do nothing`,
    columns.slice(0, 2),
  );
  const amount = fault === 'silent overdraw' ? 'greatest(0, i.amount + m.delta)' : 'i.amount + m.delta';
  const { rows } = await tx.query(
    `update town_item i set amount = ${amount} from unnest($1::text[], $2::text[], $3::bigint[]) as m(hero, thing, delta)
     where i.hero = m.hero and i.thing = m.thing returning i.amount`,
    columns,
  );
  const isBelow = (rows as { amount: string }[]).some((row) => Number(row.amount) < 0);
  if (isBelow && fault !== 'overdraw to below zero') throw new Error('the town has not that many');
};

/** How the town's shop sells, without Kibble. */
export const takeInTown = async (tx: Tx, hero: string, thing: string, count: number): Promise<void> => {
  const { rowCount } = await tx.query(
    'update town_item set amount = amount - $3 where hero = $1 and thing = $2 and amount >= $3',
    [hero, thing, count],
  );
  if (rowCount === 0) throw new Error('the shop has not that many');
};
