import { createPool } from '../../server/adapter/postgres/pool.ts';
import { migrateOn } from '../../server/adapter/postgres/schema/migrate.ts';
import { silentLog } from '../../test/support/log/silent-log.ts';
import { createDatabase, type TestDatabase } from '../../test/support/postgres/postgres-server.ts';

export const SCHEMA = 'kibble';

/** A database with the tables as production has them. Nobody stays connected, so it may be copied. */
export const createMigrated = async (serverUrl: string): Promise<TestDatabase> => {
  const database = await createDatabase(serverUrl);
  await migrateDatabase(database.url);
  return database;
};

/** Makes the tables as production has them. */
export const migrateDatabase = async (url: string): Promise<void> => {
  const pool = createPool({ url, max: 2, log: silentLog });
  await migrateOn({ pool, schema: SCHEMA, log: silentLog });
  await pool.end();
};
