import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { createPool } from '../../../server/adapter/postgres/pool.ts';
import { createDataSource } from '../../../server/adapter/postgres/schema/data-source.ts';
import { silentLog } from '../log/silent-log.ts';
import { createDatabase, type TestDatabase } from './postgres-server.ts';

export interface OrmDatabase {
  readonly url: string;
  readonly pool: Pool;
  readonly dataSource: DataSource;
  drop(): Promise<void>;
}

/** A database of its own, by default with nothing in it yet, our pool on it, and TypeORM on the pool. */
export const ormDatabase = async (
  serverUrl: string,
  schema: string,
  make: (serverUrl: string) => Promise<TestDatabase> = createDatabase,
): Promise<OrmDatabase> => {
  const database = await make(serverUrl);
  const pool = createPool({ url: database.url, max: 4, log: silentLog });
  const dataSource = await createDataSource({ pool, schema, log: silentLog }).initialize();
  return {
    url: database.url,
    pool,
    dataSource,
    drop: async () => {
      await dataSource.destroy();
      await pool.end();
      await database.drop();
    },
  };
};
