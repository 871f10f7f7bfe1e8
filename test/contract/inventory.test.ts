import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { withTransaction } from '../../server/adapter/postgres/transaction.ts';
import type { Inventory } from '../../server/home/model/inventory.ts';
import type { Tx } from '../../server/timer/model/timer-store.ts';
import { type InventoryUnderTest, inventoryContract } from '../../testing/inventory-contract.ts';
import { type HomeDatabase, homeDatabase } from '../support/postgres/home-database.ts';
import { type InventoryFault, TOWN_TABLE, takeInTown, townInventory } from '../support/town/town-inventory.ts';

let database: HomeDatabase;
/** As a game has it: nothing of Kibble's settings. */
let pool: Pool;

beforeAll(async () => {
  database = await homeDatabase(inject('postgresUrl'));
  pool = new Pool({ connectionString: database.pool.options.connectionString, max: 4 });
  await pool.query(TOWN_TABLE);
  await pool.query('create table town_purse (hero text primary key, gold bigint not null)');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const town = (fault?: InventoryFault): InventoryUnderTest => ({
  inventory: {
    ...townInventory(fault, pool),
    erase: async (tx, heroes) => {
      await tx.query('delete from town_item where hero = any($1)', [heroes]);
    },
    merge: async () => undefined,
  },
  transaction: (work) => withTransaction(pool, work),
  items: ['oats', 'carrot'],
  takeOutside: takeInTown,
});

describe("a game's own table", () => {
  it.each(inventoryContract)('$title', ({ check }) => check(town()));
});

describe('the contract finds', () => {
  const faults: readonly (readonly [InventoryFault, found: string])[] = [
    ['no lock', 'locks what it loads'],
    ['applied twice', 'gives what it was given'],
    ['wrong sign', 'gives what it was given'],
    ['silent overdraw', 'throws when a stock would become negative'],
    ['overdraw to below zero', 'throws when a stock would become negative'],
    ['counts as text', 'answers counts as whole numbers'],
    ['own connection', 'does nothing that outlives a rollback'],
    ['last move wins', 'adds up several moves'],
  ];
  it.each(faults)('the fault: %s', async (fault, title) => {
    const claim = inventoryContract.find((each) => each.title.startsWith(title));
    if (!claim) throw new Error(`there is no claim: ${title}`);
    await claim.check(town());
    await expect(claim.check(town(fault))).rejects.toThrow();
  });
});

describe('each claim ends', { timeout: 30_000 }, () => {
  it.each(inventoryContract.filter(({ title }) => !title.startsWith('takeOutside')))(
    'where apply works on its own connection: $title',
    async ({ check }) => {
      await check(town('own connection')).catch(() => undefined);
    },
  );
});

describe('the contract finds an inventory', () => {
  it('that erases on its own connection', async () => {
    const under = town();
    const erase = async (_tx: Tx, heroes: readonly string[]): Promise<void> => {
      await pool.query('delete from town_item where hero = any($1)', [heroes]);
    };
    const claim = inventoryContract.find(({ title }) => title.startsWith('erase'));
    await expect(claim?.check({ ...under, inventory: { ...under.inventory, erase } })).rejects.toThrow();
  });

  const claimOf = (title: string) => inventoryContract.find((claim) => claim.title.startsWith(title));
  const townWith = (inventory: Partial<Inventory>): InventoryUnderTest => ({
    ...town(),
    inventory: { ...town().inventory, ...inventory },
  });

  it('whose erase removes nothing, or all', async () => {
    const claim = claimOf('erase removes');
    await expect(claim?.check(townWith({ erase: async () => undefined }))).rejects.toThrow('3');
    const erase: Inventory['erase'] = async (tx) => void (await tx.query('delete from town_item'));
    await expect(claim?.check(townWith({ erase }))).rejects.toThrow('2');
  });

  it('whose merge moves the rows once more', async () => {
    const merge: Inventory['merge'] = async (tx, { from, into }) =>
      void (await tx.query('update town_item set hero = $2 where hero = $1', [from, into]));
    await expect(claimOf('merge leaves')?.check(townWith({ merge }))).rejects.toThrow('duplicate key');
  });

  it('whose load takes', async () => {
    const load: Inventory['load'] = async (tx, heroes) => {
      const stocks = await town().inventory.load(tx, heroes);
      await tx.query('update town_item set amount = amount - 1 where hero = any($1)', [heroes]);
      return stocks;
    };
    await expect(claimOf('changes nothing')?.check(townWith({ load }))).rejects.toThrow('is not');
  });
});

type Wrong = 'erase' | 'merge' | 'lock';

/** Its gold is in a table of its own, which one method forgets; a wrong merge empties it. */
const twoTables = (items: readonly [string, string], wrong?: Wrong): InventoryUnderTest => {
  const { inventory, ...under } = town();
  const take = async (tx: Tx, hero: string, count: number): Promise<void> => {
    const text = 'update town_purse set gold = gold - $2 where hero = $1 and gold >= $2';
    const { rowCount } = await tx.query(text, [hero, count]);
    if (rowCount === 0) throw new Error('the purse has not that much');
  };
  return {
    ...under,
    items,
    takeOutside: (tx, hero, thing, count) =>
      thing === 'gold' ? take(tx, hero, count) : takeInTown(tx, hero, thing, count),
    inventory: {
      load: async (tx, heroes) => {
        const stocks = new Map(await inventory.load(tx, heroes));
        const lock = wrong === 'lock' ? '' : 'order by hero for update';
        const text = `select hero, gold from town_purse where hero = any($1) ${lock}`;
        const { rows } = await tx.query<{ hero: string; gold: string }>(text, [heroes]);
        for (const { hero, gold } of rows) stocks.set(hero, { ...stocks.get(hero), gold: Number(gold) });
        return stocks;
      },
      apply: async (tx, moves) => {
        const gold = moves.filter(({ item }) => item === 'gold');
        for (const { playerId, delta } of gold) {
          await tx.query('insert into town_purse values ($1, 0) on conflict do nothing', [playerId]);
          await take(tx, playerId, -delta);
        }
        await inventory.apply(
          tx,
          moves.filter((move) => !gold.includes(move)),
        );
      },
      erase: async (tx, heroes) => {
        await inventory.erase?.(tx, heroes);
        if (wrong !== 'erase') await tx.query('delete from town_purse where hero = any($1)', [heroes]);
      },
      merge: async (tx, { from, into }) => {
        if (wrong === 'merge') await tx.query('delete from town_purse where hero = any($1)', [[from, into]]);
      },
    },
  };
};

describe.each([{ items: ['oats', 'gold'] }, { items: ['gold', 'oats'] }] as const)(
  'the contract finds an inventory over two tables, tried with $items',
  ({ items }) => {
    it.each<[Wrong, found: string]>([
      ['erase', 'erase removes'],
      ['merge', 'merge leaves'],
      ['lock', 'locks what it loads'],
    ])('whose %s is wrong for the second one', async (wrong, title) => {
      const claim = inventoryContract.find((each) => each.title.startsWith(title));
      await claim?.check(twoTables(items));
      await expect(claim?.check(twoTables(items, wrong))).rejects.toThrow();
    });
  },
);

describe('the contract takes', () => {
  const locks = inventoryContract.find(({ title }) => title.startsWith('locks what it loads'));
  const inTown = 'select from town_item where hero = $1 and thing = $2 for update nowait';

  it('a takeOutside that throws at once where another transaction has the lock', async () => {
    const takeOutside: InventoryUnderTest['takeOutside'] = async (tx, hero, thing, count) => {
      await tx.query(inTown, [hero, thing]);
      await takeInTown(tx, hero, thing, count);
    };
    await locks?.check({ ...town(), takeOutside });
  });

  it('an object of a class, whose methods need their object', async () => {
    class Town implements InventoryUnderTest {
      readonly items = ['oats', 'carrot'] as const;
      readonly inventory = town().inventory;
      readonly #pool = pool;
      readonly #take = takeInTown;
      transaction<Answer>(work: (tx: Tx) => Promise<Answer>): Promise<Answer> {
        return withTransaction(this.#pool, work);
      }
      async newPlayer(): Promise<string> {
        return `${this.items[0]} ${crypto.randomUUID()}`;
      }
      async takeOutside(tx: Tx, hero: string, thing: string, count: number): Promise<void> {
        await this.#take(tx, hero, thing, count);
      }
    }
    for (const { check } of inventoryContract) await check(new Town());
  });

  it('no takeOutside that waits for anything else than a lock of Postgres', async () => {
    const isOver = Promise.withResolvers<void>();
    const failed = locks?.check({ ...town(), takeOutside: () => isOver.promise });
    await expect(failed).rejects.toThrow('neither ends nor waits');
    isOver.resolve();
  });
});

it('the contract finds a takeOutside that takes nothing, as one with its parameters mixed up does', async () => {
  const claim = inventoryContract.find(({ title }) => title.startsWith('takeOutside('));
  await expect(claim?.check({ ...town(), takeOutside: async () => undefined })).rejects.toThrow('3');
});
