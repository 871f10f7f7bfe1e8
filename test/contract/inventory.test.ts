import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { withTransaction } from '../../server/adapter/postgres/transaction.ts';
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
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const town = (fault?: InventoryFault): InventoryUnderTest => ({
  inventory: townInventory(fault, pool),
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

it('the contract finds a takeOutside that takes nothing, as one with its parameters mixed up does', async () => {
  const claim = inventoryContract.find(({ title }) => title.startsWith('takeOutside('));
  await expect(claim?.check({ ...town(), takeOutside: async () => undefined })).rejects.toThrow('3');
});
