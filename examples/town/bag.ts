// The town's gold and items for Kibble: all prices and gains of food, cards and buildings go through here.
import type { Inventory } from 'colyseus-kibble';

export const bag: Inventory = {
  load: async (tx, heroes) => {
    // Locked in one order everywhere, heroes before items: the town's shop takes from the same rows.
    const gold = await tx.query<{ id: string; gold: string }>(
      'select id, gold from hero where id = any($1) order by id for update',
      [heroes],
    );
    const items = await tx.query<{ hero: string; item: string; amount: string }>(
      'select hero, item, amount from hero_item where hero = any($1) order by hero, item for update',
      [heroes],
    );
    const stocks = new Map<string, Record<string, number>>();
    for (const { id, gold: amount } of gold.rows) stocks.set(id, { gold: Number(amount) });
    for (const { hero, item, amount } of items.rows) {
      stocks.set(hero, { ...stocks.get(hero), [item]: Number(amount) });
    }
    return stocks;
  },
  apply: async (tx, moves) => {
    for (const { playerId, item, delta } of moves) {
      if (item === 'gold') {
        await tx.query('insert into hero (id) values ($1) on conflict do nothing', [playerId]);
        await tx.query('update hero set gold = gold + $2 where id = $1', [playerId, delta]);
      } else {
        await tx.query('insert into hero_item values ($1, $2, 0) on conflict do nothing', [playerId, item]);
        await tx.query('update hero_item set amount = amount + $3 where hero = $1 and item = $2', [
          playerId,
          item,
          delta,
        ]);
      }
    }
  },
};
