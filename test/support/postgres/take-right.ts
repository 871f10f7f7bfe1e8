import type { Pool } from 'pg';
import { vi } from 'vitest';

/** Postgres lists the advisory locks of all its databases: other tests have theirs. */
const OWN = "locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())";

/** Ends the sessions that have the right to run on this schema, as a restart of Postgres does. */
export const endHolders = async (pool: Pool, schema: string): Promise<void> => {
  await pool.query(
    `select pg_terminate_backend(pid) from pg_locks where ${OWN} and granted
       and (classid::bigint << 32) | objid::bigint = hashtextextended($1, 0)`,
    [`${schema}.single-process`],
  );
};

/** A process without Redis takes the right from the others; the returned function gives it back. */
export const takeRight = async (pool: Pool, schema: string): Promise<() => Promise<void>> => {
  const client = await pool.connect();
  // It is next in the line when the session ends, so the holder comes too late.
  const taken = client.query('select pg_advisory_lock(hashtextextended($1, 0))', [`${schema}.single-process`]);
  await vi.waitFor(async () => {
    const { rowCount } = await pool.query(`select from pg_locks where ${OWN} and not granted`);
    if (rowCount !== 1) throw new Error('nobody waits yet');
  }, 10_000);
  await endHolders(pool, schema);
  await taken;
  return async () => {
    await client.query('select pg_advisory_unlock_all()');
    client.release();
  };
};
