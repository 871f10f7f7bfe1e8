import { Pool } from 'pg';
import { PostgresHomeStore } from '../../server/adapter/postgres/home-store.ts';
import { ItemInventory } from '../../server/adapter/postgres/item-inventory.ts';
import { createHomeTables } from '../../server/adapter/postgres/migrations/home-tables.ts';
import { timerTable } from '../../server/adapter/postgres/migrations/timer-table.ts';
import { PostgresTimerStore } from '../../server/adapter/postgres/timer-store.ts';
import { HomeService, type HomeServiceOptions } from '../../server/home/home-service.ts';
import type { IndexChanges } from '../../server/timer/timer-store.ts';
import { type Catalogue, defaultCatalogue } from '../../shared/catalogue.ts';
import { createDatabase } from './postgres-server.ts';

const SCHEMA = 'kibble';

export interface HomeDatabase {
  readonly pool: Pool;
  readonly store: PostgresHomeStore;
  readonly timers: PostgresTimerStore;
  /** What the index was told, in order. */
  readonly told: IndexChanges[];
  /** A service of its own, as another process would have. */
  service(options?: Partial<HomeServiceOptions> & { readonly catalogue?: Catalogue }): HomeService;
  drop(): Promise<void>;
}

/** A database with the homes' and timers' tables, and services on it. */
export const homeDatabase = async (serverUrl: string): Promise<HomeDatabase> => {
  const database = await createDatabase(serverUrl);
  const pool = new Pool({ connectionString: database.url, max: 8, pipeline: true });
  await pool.query(`create schema ${SCHEMA}`);
  for (const statement of createHomeTables(SCHEMA)) await pool.query(statement);
  await pool.query(`insert into ${SCHEMA}.epoch (epoch) values (gen_random_uuid()::text)`);
  await pool.query(timerTable(SCHEMA));
  const timers = new PostgresTimerStore({ pool, schema: SCHEMA });
  const store = new PostgresHomeStore({
    pool,
    schema: SCHEMA,
    timers,
    inventory: new ItemInventory(SCHEMA),
    limits: { statementMs: 3000, lockMs: 1000, idleInTransactionMs: 2000 },
  });
  const told: IndexChanges[] = [];
  return {
    pool,
    store,
    timers,
    told,
    service: (options) =>
      new HomeService({
        catalogue: defaultCatalogue,
        store,
        tellIndex: (changes) => told.push(changes),
        limits: { batchSize: 256, parallelBatches: 4, waitingPerPlayer: 64, waitingTotal: 20_000, pageMax: 500 },
        onFault: (message, error) => {
          throw new Error(message, { cause: error });
        },
        ...options,
      }),
    drop: async () => {
      await pool.end();
      await database.drop();
    },
  };
};
