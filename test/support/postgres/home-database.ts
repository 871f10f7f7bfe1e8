import type { Pool } from 'pg';
import { systemClock } from '../../../server/adapter/machine/system-clock.ts';
import { Database } from '../../../server/adapter/postgres/database.ts';
import { PostgresHomeStore } from '../../../server/adapter/postgres/home/home-store.ts';
import { createPool } from '../../../server/adapter/postgres/pool.ts';
import { migrateOn } from '../../../server/adapter/postgres/schema/migrate.ts';
import { PostgresTimerStore } from '../../../server/adapter/postgres/timer/timer-store.ts';
import { HomeService, type HomeServiceOptions } from '../../../server/home/home-service.ts';
import { limits } from '../../../server/settings/config.ts';
import type { IndexChanges } from '../../../server/timer/model/index-entry.ts';
import { type Catalogue, defaultCatalogue } from '../../../shared/pets/catalogue.ts';
import { petsModules } from '../../../testing/pets-engine.ts';
import { silentLog } from '../log/logs.ts';
import { createFromTemplate, type TestDatabase } from './postgres-server.ts';

const SCHEMA = 'kibble';

export interface HomeDatabase {
  readonly pool: Pool;
  readonly store: PostgresHomeStore;
  readonly timers: PostgresTimerStore;
  /** The updates of the index, in order. */
  readonly told: IndexChanges[];
  /** A service of its own, as another process would have. */
  service(options?: Partial<HomeServiceOptions> & { readonly catalogue?: Catalogue }): HomeService;
  drop(): Promise<void>;
}

const makeTables = async (url: string): Promise<void> => {
  const pool = createPool({ url, max: 2, log: silentLog });
  await migrateOn({ pool, schema: SCHEMA, log: silentLog });
  await pool.end();
};

/** A database in which all migrations have run, and nothing else. */
export const migratedDatabase = (serverUrl: string): Promise<TestDatabase> =>
  createFromTemplate(serverUrl, 'migrated_template', makeTables);

/** A database with the homes' and timers' tables, and services on it. */
export const homeDatabase = async (serverUrl: string): Promise<HomeDatabase> => {
  const database = await migratedDatabase(serverUrl);
  const pool = createPool({ url: database.url, max: 8, log: silentLog });
  const timers = new PostgresTimerStore(new Database({ pool, schema: SCHEMA }));
  // As a process does that starts.
  await timers.registerKinds([{ kind: 'feeding', retentionMs: undefined, module: 'pets' }]);
  const store = new PostgresHomeStore({
    database: new Database({ pool, schema: SCHEMA }),
    modules: petsModules(),
    limits: limits.transaction,
  });
  const told: IndexChanges[] = [];
  return {
    pool,
    store,
    timers,
    told,
    service: ({ catalogue = defaultCatalogue, ...options } = {}) =>
      new HomeService({
        modules: petsModules(catalogue),
        store,
        updateIndex: (changes) => told.push(changes),
        limits: { ...limits.writePath, pageMax: limits.events.pageMax },
        clock: systemClock,
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
