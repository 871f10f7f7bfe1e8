import type { DataSource, QueryRunner } from 'typeorm';
import { textAt } from '../../../../shared/game-code.ts';
import { DatabaseUnfit } from './database-unfit.ts';
import { schemaOf, tables } from './migrations.ts';

/** Throws `DatabaseUnfit` for a database that cannot store every text, or that accepts no changes. */
export const refuseUnfit = async (runner: QueryRunner): Promise<void> => {
  const [found]: readonly Found[] = await runner.query(`
    select current_database() as database, current_setting('server_encoding') as encoding,
      current_setting('transaction_read_only') = 'on' as is_read_only, pg_is_in_recovery() as is_standby`);
  if (!found) return;
  const { database, encoding, is_read_only, is_standby } = found;
  if (encoding !== 'UTF8') {
    throw new DatabaseUnfit(
      'database/encoding',
      `the database ${database} has the encoding ${encoding}, which cannot hold every player's text: give Kibble one that was made with create database ... encoding 'UTF8' template template0`,
    );
  }
  if (!is_read_only) return;
  const remedy = is_standby
    ? 'it is a standby: connect to the primary (target_session_attrs=read-write finds it among several hosts of a proxy)'
    : `somebody has set default_transaction_read_only: run alter database "${database}" reset default_transaction_read_only, and the same for the role and the server where it is set there`;
  throw new DatabaseUnfit('database/read-only', `the database ${database} takes no changes: ${remedy}`);
};

interface Found {
  readonly database: string;
  readonly encoding: string;
  readonly is_read_only: boolean;
  readonly is_standby: boolean;
}

/**
 * Throws `DatabaseUnfit` if the schema has tables with our names that none of our migrations made: a game's own `item`,
 * or the `migration` of another TypeORM.
 */
export const refuseForeignTables = async (runner: QueryRunner): Promise<void> => {
  const schema = schemaOf(runner.dataSource);
  const names = [...tables, ...VIEWS, MIGRATIONS];
  const found: readonly { readonly name: string }[] = await runner.query(
    `select relname as name from pg_class
     where relnamespace = to_regnamespace($1) and relname = any($2) and relkind in ('r', 'p', 'v', 'm', 'f')
     order by relname`,
    [`"${schema}"`, names],
  );
  if (found.length === 0) return;
  if (found.some(({ name }) => name === MIGRATIONS) && (await areOurs(runner, found.length === 1))) return;
  const foreign = found.map(({ name }) => name).join(', ');
  throw new DatabaseUnfit(
    'database/foreign-tables',
    `the schema ${schema} has tables of something else (${foreign}): give Kibble a schema of its own, as schema: 'kibble' (KIBBLE_SCHEMA)`,
  );
};

const MIGRATIONS = 'migration';
const VIEWS = ['item', 'timers'];

/** Whether the stamps name one of our migrations; also if there are none, as after all of ours were reverted. */
const areOurs = async (runner: QueryRunner, isAlone: boolean): Promise<boolean> => {
  const ours = ownStamps(runner.dataSource);
  const run = await stampsIn(runner);
  return run !== undefined && (run.some((name) => ours.includes(name)) || (run.length === 0 && isAlone));
};

/** The stamps of the fifteen migrations before the baseline end so. */
const BEFORE = /17952192000(?:0[1-9]|1[0-5])$/;

/** Throws `DatabaseUnfit` for tables from before the baseline: no release had them, so nothing upgrades them. */
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
 * Throws `DatabaseUnfit` if a newer version has migrated the schema: its processes would not find what this one writes.
 * Call it after the migrations, because they make the table of stamps.
 */
export const refuseNewer = async (runner: QueryRunner): Promise<void> => {
  const schema = schemaOf(runner.dataSource);
  const [newer]: readonly { readonly name: string }[] = await runner.query(
    `select name from "${schema}".migration
     where timestamp > (select max(timestamp) from "${schema}".migration where name = any($1))
     order by timestamp desc limit 1`,
    [ownStamps(runner.dataSource)],
  );
  if (newer !== undefined) throw newerThanThis(schema, newer.name);
};

/** `migration`: the one that this program does not have. */
export const newerThanThis = (schema: string, migration: string): DatabaseUnfit =>
  new DatabaseUnfit(
    'database/newer',
    `the schema ${schema} was migrated by a newer version of Kibble (${migration}): start that version, or restore a backup from before`,
  );

/** Names of the migrations that this program has. */
const ownStamps = ({ migrations }: DataSource): readonly string[] =>
  migrations.map((migration) => migration.name ?? migration.constructor.name);

/** Names of the migrations that ran in the schema; undefined: their table is missing, or belongs to another program. */
const stampsIn = async (runner: QueryRunner): Promise<readonly string[] | undefined> => {
  const table = `"${schemaOf(runner.dataSource)}".migration`;
  const columns: unknown[] = await runner.query(
    `select from pg_attribute where attrelid = to_regclass($1) and attname in ('timestamp', 'name')`,
    [table],
  );
  if (columns.length < 2) return undefined;
  const run: readonly { readonly name: string }[] = await runner.query(`select name::text from ${table}`);
  return run.map(({ name }) => name);
};

/** For a migration that Postgres did not allow: an error with the statement that the owner must run. Other errors unchanged. */
export const whyNoRight = async (runner: QueryRunner, error: unknown): Promise<unknown> => {
  if (textAt(error, 'code') !== INSUFFICIENT_PRIVILEGE) return error;
  const schema = schemaOf(runner.dataSource);
  const [standing]: readonly Standing[] = await runner.query(
    `select current_user as role, current_database() as database,
       (select pg_get_userbyid(nspowner) from pg_namespace where nspname = $1) as owner`,
    [schema],
  );
  if (!standing) return error;
  const { role, database, owner } = standing;
  const remedy =
    owner === null
      ? `the role ${role} may not create the schema ${schema}: the owner of the database ${database} runs create schema "${schema}" authorization "${role}"`
      : `the role ${role} may not change the tables in the schema ${schema}: run kibble migrate as ${owner}, who owns it, or give the schema and its tables to ${role}`;
  return new DatabaseUnfit('database/no-right', remedy, error);
};

const INSUFFICIENT_PRIVILEGE = '42501';

interface Standing {
  readonly role: string;
  readonly database: string;
  /** Null: the schema does not exist. */
  readonly owner: string | null;
}
