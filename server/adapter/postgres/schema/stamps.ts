import type { DataSource, QueryRunner } from 'typeorm';
import { schemaOf } from './tables/schema-of.ts';

/** Names of the migrations that this program has. */
export const ownStamps = ({ migrations }: DataSource): readonly string[] =>
  migrations.map((migration) => migration.name ?? migration.constructor.name);

/** Names of the migrations that ran in the schema; undefined: its table of them is missing, or another program's. */
export const stampsIn = async (runner: QueryRunner): Promise<readonly string[] | undefined> => {
  const table = `"${schemaOf(runner.dataSource)}".migration`;
  const columns: unknown[] = await runner.query(
    `select from pg_attribute where attrelid = to_regclass($1) and attname in ('timestamp', 'name')`,
    [table],
  );
  if (columns.length < 2) return undefined;
  const run: readonly { readonly name: string }[] = await runner.query(`select name::text from ${table}`);
  return run.map(({ name }) => name);
};
