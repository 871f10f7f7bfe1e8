import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { createPool } from '../../../server/adapter/postgres/pool.ts';
import { createDataSource } from '../../../server/adapter/postgres/schema/data-source.ts';
import { silentLog } from '../log/logs.ts';
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

/**
 * What Postgres has in a schema, in its own words: columns, keys, checks, indexes, a line each, sorted. `but` leaves
 * tables out. Defaults, the names of primary keys, and `*_prefix` indexes, which only the SQL can say, are not in it.
 */
export const schemaShape = async (pool: Pool, schema: string, but: readonly string[]): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ line: string }>(
    `with tables as (
       select c.oid, c.relname from pg_class c
       where c.relnamespace = $1::regnamespace and c.relkind = 'r' and c.relname <> all($2))
     select line from (
       select concat_ws(' ', relname, attname, format_type(atttypid, atttypmod), case when attnotnull then 'not null' end, nullif(collname, 'default')) as line
         from tables t join pg_attribute a on a.attrelid = t.oid and attnum > 0 and not attisdropped
         left join pg_collation c on c.oid = attcollation
       union all
       select concat_ws(' ', relname, case when contype <> 'p' then conname end, pg_get_constraintdef(k.oid))
         from tables t join pg_constraint k on k.conrelid = t.oid and contype <> 'n'
       union all
       select pg_get_indexdef(indexrelid)
         from tables t join pg_index i on i.indrelid = t.oid and not indisprimary
         where indexrelid::regclass::text !~ '_prefix$'
     ) lines order by line`,
    [schema, but],
  );
  return rows.map(({ line }) => line);
};
