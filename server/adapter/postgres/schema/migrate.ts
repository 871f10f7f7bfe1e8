import type { Pool } from 'pg';
import { type DataSource, MigrationExecutor, type QueryRunner } from 'typeorm';
import { limits } from '../../../settings/config.ts';
import { createDataSource, type DataSourceOptions } from './data-source.ts';
import { migrations, schemaOf } from './migrations.ts';
import {
  newerThanThis,
  refuseBefore,
  refuseForeignTables,
  refuseNewer,
  refuseUnfit,
  whyNoRight,
} from './refuse-unfit.ts';

/** `migrate` on a data source of its own. */
export const migrateOn = async (options: DataSourceOptions): Promise<readonly string[]> => {
  const dataSource = await createDataSource(options).initialize();
  try {
    return await migrate(dataSource);
  } finally {
    await dataSource.destroy();
  }
};

/**
 * Brings the schema up to date in one transaction; returns the names of the migrations that it ran. If processes start
 * together, one migrates, and the others wait and find nothing to do. If it throws, nothing has changed.
 */
export const migrate = async (dataSource: DataSource): Promise<readonly string[]> => {
  const runner = dataSource.createQueryRunner();
  try {
    await runner.startTransaction('READ COMMITTED');
    await refuseUnfit(runner);
    await waitForTurn(runner);
    await createSchema(runner);
    await refuseBefore(runner);
    await refuseForeignTables(runner);
    const done = await new MigrationExecutor(dataSource, runner).executePendingMigrations();
    await refuseNewer(runner);
    await runner.commitTransaction();
    return done.map(({ name }) => name);
  } catch (error) {
    await runner.rollbackTransaction().catch(() => undefined);
    throw await whyNoRight(runner, error);
  } finally {
    await runner.release();
  }
};

/** Names of the migrations that have not run in the schema. Throws `database/newer` as `migrate` does. */
export const pendingOn = async (pool: Pool, schema: string): Promise<readonly string[]> => {
  const all = migrations.map(({ name }) => name);
  const table = `"${schema}".migration`;
  const { rows: found } = await pool.query('select where to_regclass($1) is not null', [table]);
  if (found.length === 0) return all;
  const { rows } = await pool.query<{ readonly name: string }>(
    // The table may be of another program, with another such column or none.
    `select name::text from ${table} m
     order by case when to_jsonb(m)->>'timestamp' ~ '^\\d{1,18}$' then (to_jsonb(m)->>'timestamp')::bigint end desc nulls last`,
  );
  const newest = rows.findIndex(({ name }) => all.includes(name));
  if (newest > 0) throw newerThanThis(schema, rows[0]?.name ?? '');
  return all.filter((name) => !rows.some((run) => run.name === name));
};

/** The lock ends with the transaction, so a process that is killed during a migration leaves nothing behind. */
const waitForTurn = async (runner: QueryRunner): Promise<void> => {
  const { lockMs, idleInTransactionMs } = limits.migration;
  await runner.query(
    `set local statement_timeout = 0; set local lock_timeout = 0;
     set local idle_in_transaction_session_timeout = ${idleInTransactionMs}`,
  );
  const name = `${schemaOf(runner.dataSource)}.migrate`;
  await runner.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [name]);
  await runner.query(`set local lock_timeout = ${lockMs}`);
};

/** Without `if not exists`, which requires the right to create schemas even if the schema exists. */
const createSchema = async (runner: QueryRunner): Promise<void> => {
  const schema = schemaOf(runner.dataSource);
  const found: unknown[] = await runner.query('select from pg_namespace where nspname = $1', [schema]);
  if (found.length === 0) await runner.query(`create schema "${schema}"`);
};
