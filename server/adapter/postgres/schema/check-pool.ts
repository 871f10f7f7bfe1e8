import type { Pool, PoolClient } from 'pg';
import { limits } from '../../../settings/config.ts';
import { checkout, releaseClient } from '../checkout.ts';
import type { Database } from '../database.ts';
import { query } from '../statement.ts';
import { DatabaseUnfit } from './database-unfit.ts';

interface Options {
  readonly pool: Pool;
  /** Connections that locks use as long as this process serves. */
  readonly held: number;
}

/** Connections for work: a handler in a transaction may ask for a second one. */
const WORKING = 2;

/** Throws `DatabaseUnfit` if the pool is so small that Kibble would wait forever, or its connections change their session. */
export const checkPool = async ({ pool, held }: Options): Promise<void> => {
  const max: unknown = pool.options?.max;
  if (typeof max === 'number' && max < held + WORKING) throw tooSmall(max, held);
  const clients: PoolClient[] = [];
  try {
    for (let at = 0; at < WORKING; at += 1) clients.push(await connect(pool));
    const [one, other] = clients;
    if (one && other) await compare(one, other);
  } catch (error) {
    throw poolerFault(error) ?? error;
  } finally {
    for (const client of clients) releaseClient(client);
  }
};

const tooSmall = (max: number, held: number): DatabaseUnfit =>
  new DatabaseUnfit(
    'database/pool-too-small',
    `the pool has at most ${max} connections, and Kibble needs ${held + WORKING} (its locks keep ${held} for good): set max of the pool (DB_POOL) to ${held + WORKING} or more, 10 is a good start`,
  );

/** `pg` reports the time-out with a text of its own. */
const connect = (pool: Pool): Promise<PoolClient> =>
  checkout(pool).catch((error: Error) => {
    if (!/timeout/.test(error.message)) throw error;
    throw new DatabaseUnfit(
      'database/no-connection',
      `the pool gave no connection within ${limits.postgres.connectMs / 1000} s: does Postgres answer at its address, and is every connection of the pool in use?`,
      error,
    );
  });

/**
 * Two sessions must be two server processes, and each must stay the same. Behind a pooler one of them changes, or both
 * are the same: each session in turn stays in a transaction while the other one asks for its process.
 */
const compare = async (one: PoolClient, other: PoolClient): Promise<void> => {
  const first = await backendOf(one);
  const second = await whileHeld(other, one, first);
  if (second.held === first || second.asked !== first) throw behindPooler();
  // One more statement: a pooler that takes its connections in turn would be back at the first one.
  if ((await backendOf(one)) !== first) throw behindPooler();
  const third = await whileHeld(one, other, second.held);
  if (third.held !== first || third.asked !== second.held) throw behindPooler();
};

const whileHeld = async (holder: PoolClient, asker: PoolClient, known: unknown) => {
  await holder.query('begin');
  try {
    const held = await backendOf(holder);
    // A pooler with one connection would make the other session wait for it.
    return { held, asked: held === known ? undefined : await backendOf(asker) };
  } finally {
    await holder.query('rollback').catch(() => undefined);
  }
};

const backendOf = async (client: PoolClient): Promise<unknown> =>
  (await client.query<{ pid: unknown }>('select pg_backend_pid() as pid')).rows[0]?.pid;

const behindPooler = (): DatabaseUnfit =>
  new DatabaseUnfit(
    'database/pooler',
    'a pooler in transaction mode (PgBouncer) lies before Postgres, and Kibble’s locks and prepared statements need sessions: connect to Postgres itself, or set pool_mode = session for this database',
  );

/** The fault behind PgBouncer's error for a setting in a connection's first message, or for `begin` in statement mode. */
export const poolerFault = (error: unknown): DatabaseUnfit | undefined => {
  const said = error instanceof Error ? error.message : '';
  if (/transaction blocks not allowed in statement pooling/i.test(said)) return behindPooler();
  const setting = /unsupported startup parameter: (\w+)/.exec(said)?.[1];
  if (setting === undefined) return undefined;
  return new DatabaseUnfit(
    'database/pooler',
    `a pooler (PgBouncer) lies before Postgres and refuses the setting ${setting} of Kibble’s connections: connect to Postgres itself`,
    error,
  );
};

/**
 * The warning if Kibble's schema comes first for this role and the database has other tables; else undefined. Postgres
 * searches the schema with the role's name before all others: a game would find Kibble's `item` instead of its own, and
 * make its tables among Kibble's.
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
