import type { QueryRunner } from 'typeorm';
import { DatabaseUnfit } from './database-unfit.ts';
import { ownStamps, stampsIn } from './stamps.ts';
import { schemaOf } from './tables/schema-of.ts';

/** The stamps of the fifteen migrations before the baseline end so. */
const BEFORE = /17952192000(?:0[1-9]|1[0-5])$/;

/** Throws `DatabaseUnfit` for tables that were made before the baseline: no release ever had them, so nothing upgrades them. */
export const refuseBefore = async (runner: QueryRunner): Promise<void> => {
  const stamps = await stampsIn(runner);
  const before = stamps?.find((stamp) => BEFORE.test(stamp));
  if (before === undefined) return;
  const schema = schemaOf(runner.dataSource);
  throw new DatabaseUnfit(
    'database/before-0.2',
    `the schema ${schema} was made by a version before 0.2 (${before}), which was never published, and cannot be upgraded: dump what you need of it (pg_dump --schema=${schema}), then give Kibble another database (with its own Postgres: another DATA_DIR) or another schema, as schema: '${schema}_2' (KIBBLE_SCHEMA)`,
  );
};

/**
 * Throws `DatabaseUnfit` when a newer version has migrated the schema: what this one would write into its tables, the
 * newer one's processes would not find. Call it after the migrations: their table is there then.
 */
export const refuseNewer = async (runner: QueryRunner): Promise<void> => {
  const schema = schemaOf(runner.dataSource);
  const [newer]: readonly { readonly name: string }[] = await runner.query(
    `select name from "${schema}".migration
     where timestamp > (select max(timestamp) from "${schema}".migration where name = any($1))
     order by timestamp desc limit 1`,
    [ownStamps(runner.dataSource)],
  );
  if (newer === undefined) return;
  throw new DatabaseUnfit(
    'database/newer',
    `the schema ${schema} was migrated by a newer version of Kibble (${newer.name}): start that version, or restore a backup from before`,
  );
};
