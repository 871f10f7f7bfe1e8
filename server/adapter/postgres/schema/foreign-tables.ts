import type { QueryRunner } from 'typeorm';
import { DatabaseUnfit } from './database-unfit.ts';
import { ownStamps, stampsIn } from './stamps.ts';
import { schemaOf } from './tables/schema-of.ts';

/**
 * Throws `DatabaseUnfit` when tables of our names lie in the schema that no migration of ours has made: a game's own
 * `item`, or the `migration` of another TypeORM.
 */
export const refuseForeignTables = async (runner: QueryRunner): Promise<void> => {
  const { dataSource } = runner;
  const schema = schemaOf(dataSource);
  const names = [...dataSource.entityMetadatas.map(({ tableName }) => tableName), ...VIEWS, MIGRATIONS];
  const found: readonly { readonly name: string }[] = await runner.query(
    `select relname as name from pg_class
     where relnamespace = to_regnamespace($1) and relname = any($2) and relkind in ('r', 'p', 'v', 'm', 'f')
     order by relname`,
    [`"${schema}"`, names],
  );
  if (found.length === 0) return;
  if (found.some(({ name }) => name === MIGRATIONS) && (await areOurs(runner, found.length === 1))) return;
  const tables = found.map(({ name }) => name).join(', ');
  throw new DatabaseUnfit(
    'database/foreign-tables',
    `the schema ${schema} has tables of something else (${tables}): give Kibble a schema of its own, as schema: 'kibble' (KIBBLE_SCHEMA)`,
  );
};

const MIGRATIONS = 'migration';
const VIEWS = ['item'];

/** The stamps name one of ours; or there are none at all, as after all of ours were taken back. */
const areOurs = async (runner: QueryRunner, isAlone: boolean): Promise<boolean> => {
  const ours = ownStamps(runner.dataSource);
  const run = await stampsIn(runner);
  return run !== undefined && (run.some((name) => ours.includes(name)) || (run.length === 0 && isAlone));
};
