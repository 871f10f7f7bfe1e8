import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { Inventory } from '../../../server/home/model/inventory.ts';
import { type OpsServer, startOpsServer } from '../../support/game/ops-server.ts';
import { migratedDatabase } from '../../support/postgres/home-database.ts';
import { TOWN_TABLE, townInventory } from '../../support/town/town-inventory.ts';

const town = townInventory();
let load: Inventory['load'] = town.load;
const inventory: Inventory = { load: (tx, playerIds) => load(tx, playerIds), apply: town.apply };

let server: OpsServer;
const lost: unknown[] = [];
const note = (reason: unknown): void => void lost.push(reason);
beforeAll(async () => {
  process.on('unhandledRejection', note);
  const database = await migratedDatabase(inject('postgresUrl'));
  server = await startOpsServer(inject('postgresUrl'), { database, inventory });
  await server.pool.query(TOWN_TABLE);
  await server.play('ann', { type: 'home:adopt', name: 'Rex', species: 'dog' });
});
afterAll(async () => {
  await server.close();
  process.off('unhandledRejection', note);
});

it.each<[string, Inventory['load'], number, string]>([
  ['returns counts as text', townInventory('counts as text').load, 409, 'inventory/refused'],
  [
    'does not await a statement that fails',
    async (tx, playerIds) => {
      void tx.query('select nonsense');
      return town.load(tx, playerIds);
    },
    409,
    'inventory/refused',
  ],
  [
    'ends the transaction',
    async (tx, playerIds) => {
      await tx.query('commit');
      return town.load(tx, playerIds);
    },
    409,
    'inventory/refused',
  ],
  [
    'meets a row that changed after the snapshot',
    async (tx) => {
      await tx.query("do $$ begin raise exception 'could not serialize' using errcode = '40001'; end $$");
      return new Map();
    },
    503,
    'server/unavailable',
  ],
])('a read of a player whose inventory %s is refused', async (_, hostile, status, code) => {
  load = hostile;
  for (const read of ['player', 'exportPlayer'] as const) {
    expect(await server.ask(read, { playerId: 'ann' })).toMatchObject({ status, body: { code } });
  }
  load = town.load;
  expect(lost).toEqual([]);
});

it('an export that reads for long locks no items meanwhile', async () => {
  const isLoaded = Promise.withResolvers<void>();
  load = async (tx, playerIds) => {
    const stocks = await town.load(tx, playerIds);
    isLoaded.resolve();
    return stocks;
  };
  const other = await server.pool.connect();
  await other.query("begin; lock table kibble.timer in access exclusive mode; set local lock_timeout = '5s'");
  const exported = server.ask('exportPlayer', { playerId: 'ann' });
  await isLoaded.promise;
  const { rows } = await other.query("select thing from town_item where hero = 'ann' for update");
  await other.query('commit');
  other.release();
  load = town.load;
  expect(rows.length).toBeGreaterThan(0);
  expect((await exported).body).toMatchObject({ items: { 'dog-food': expect.any(Number) } });
});
