import type { Database } from '../database.ts';
import { query } from '../statement.ts';

/**
 * What to say where Kibble's schema comes first for this role and the database has other tables; else undefined. Postgres
 * looks into the schema that is called like the role before all others, so a game finds Kibble's `item` instead of its
 * own, and makes its tables among Kibble's.
 */
export const whyTablesAreHidden = async ({ pool, schema }: Database): Promise<string | undefined> => {
  const [found] = await query<{ role: string }>(pool, {
    text: `select current_user as role
     where (current_schemas(false))[1] = $1 and exists (
       select from pg_class join pg_namespace on pg_namespace.oid = relnamespace
       where relkind in ('r', 'p') and nspname = any(current_schemas(false)) and nspname <> $1)`,
    values: [schema],
  });
  return (
    found &&
    `the schema ${schema} is the first in which ${found.role} looks for tables and makes them, before the game's: run alter role "${found.role}" set search_path = public, or give Kibble another schema`
  );
};
