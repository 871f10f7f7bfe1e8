import type { QueryRunner } from 'typeorm';
import { DatabaseUnfit } from './database-unfit.ts';
import { schemaOf } from './tables/schema-of.ts';

/** For a migration that Postgres did not allow: which statement its owner has to run. Any other error as it is. */
export const whyNoRight = async (runner: QueryRunner, error: unknown): Promise<unknown> => {
  if (codeOf(error) !== INSUFFICIENT_PRIVILEGE) return error;
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
  /** Null: there is no such schema. */
  readonly owner: string | null;
}

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
