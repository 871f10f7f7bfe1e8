import type { QueryRunner } from 'typeorm';
import { DatabaseUnfit } from './database-unfit.ts';
import { schemaOf } from './tables/schema-of.ts';

/**
 * Throws `DatabaseUnfit` when tables of our names lie in the schema that no migration of ours has made: a game's own
 * `item`, or the `migration` of another TypeORM.
 */
export const refuseForeignTables = async (runner: QueryRunner): Promise<void> => {
  const { dataSource } = runner;
  const schema = schemaOf(dataSource);
  const names = [...dataSource.entityMetadatas.map(({ tableName }) => tableName), MIGRATIONS];
  const found: readonly { readonly name: string }[] = await runner.query(
    `select relname as name from pg_class
     where relnamespace = to_regnamespace($1) and relname = any($2) and relkind in ('r', 'p', 'v', 'm', 'f')
     order by relname`,
    [`"${schema}"`, names],
  );
  if (found.length === 0) return;
  const isAlone = found.length === 1;
  const hasMigrations = found.some(({ name }) => name === MIGRATIONS);
  if (hasMigrations && (await areOurs(runner, schema, isAlone))) return;
  const tables = found.map(({ name }) => name).join(', ');
  throw new DatabaseUnfit(
    'database/foreign-tables',
    `the schema ${schema} has tables of something else (${tables}): give Kibble a schema of its own, as schema: 'kibble' (KIBBLE_SCHEMA)`,
  );
};

const MIGRATIONS = 'migration';

/** They name one of ours; or none at all, as after all of ours were taken back. */
const areOurs = async (runner: QueryRunner, schema: string, isAlone: boolean): Promise<boolean> => {
  const ours = runner.dataSource.migrations.map((migration) => migration.name ?? migration.constructor.name);
  const columns: unknown[] = await runner.query(
    `select from pg_attribute where attrelid = to_regclass($1) and attname in ('timestamp', 'name')`,
    [`"${schema}".${MIGRATIONS}`],
  );
  if (columns.length < 2) return false;
  const run: readonly { readonly name: string }[] = await runner.query(
    `select name::text from "${schema}".${MIGRATIONS}`,
  );
  return run.some(({ name }) => ours.includes(name)) || (run.length === 0 && isAlone);
};
