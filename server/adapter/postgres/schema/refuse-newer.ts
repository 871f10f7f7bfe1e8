import type { QueryRunner } from 'typeorm';
import { DatabaseUnfit } from './database-unfit.ts';
import { schemaOf } from './tables/schema-of.ts';

/**
 * Throws `DatabaseUnfit` when a newer version has migrated the schema: what this one would write into its tables, the
 * newer one's processes would not find. Call it after the migrations: their table is there then.
 */
export const refuseNewer = async (runner: QueryRunner): Promise<void> => {
  const { dataSource } = runner;
  const schema = schemaOf(dataSource);
  const ours = dataSource.migrations.map((migration) => migration.name ?? migration.constructor.name);
  const [newer]: readonly { readonly name: string }[] = await runner.query(
    `select name from "${schema}".migration
     where timestamp > (select max(timestamp) from "${schema}".migration where name = any($1))
     order by timestamp desc limit 1`,
    [ours],
  );
  if (newer === undefined) return;
  throw new DatabaseUnfit(
    'database/newer',
    `the schema ${schema} was migrated by a newer version of Kibble (${newer.name}): start that version, or restore a backup from before`,
  );
};
