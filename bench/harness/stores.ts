import { Redis } from 'ioredis';
import { createPool } from '../../server/adapter/postgres/pool.ts';
import { migrateOn } from '../../server/adapter/postgres/schema/migrate.ts';
import { silentLog } from '../../test/support/log/logs.ts';
import {
  createDatabase,
  type PostgresServer,
  startPostgres,
  type TestDatabase,
} from '../../test/support/postgres/postgres-server.ts';
import { type RedisServer, startRedis } from '../../test/support/redis/redis-server.ts';

/** Settings of a small dedicated server; the rest is Postgres' default, with fsync and commits on disk. */
const settings = { shared_buffers: '1GB', max_wal_size: '8GB', max_connections: '100' };

/** Servers of this run alone, started on demand. Never other servers, because rows empty them. */
export class Stores {
  #postgres: Promise<PostgresServer> | undefined;
  #redis: Promise<RedisServer> | undefined;
  readonly #databases: TestDatabase[] = [];

  async postgresUrl(): Promise<string> {
    this.#postgres ??= startPostgres({ durable: true, settings });
    return (await this.#postgres).url;
  }

  /** Append-only file, written to disk every second. */
  async redisUrl(): Promise<string> {
    this.#redis ??= startRedis({ appendonly: true });
    return (await this.#redis).url;
  }

  /** A database with production's tables, until `drop`. No connection remains, so it can be copied. */
  async migrated(): Promise<TestDatabase> {
    const database = await createMigrated(await this.postgresUrl());
    this.#databases.push(database);
    return database;
  }

  async drop(): Promise<void> {
    for (const database of this.#databases.splice(0)) await database.drop();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#postgres?.then((server) => server.stop()), this.#redis?.then((server) => server.stop())]);
  }
}

/** Settings of a Redis; see its documentation of `CONFIG SET`. */
export type RedisSettings = Readonly<Record<string, string>>;

const asUsual: RedisSettings = { hz: '10', appendfsync: 'everysec' };

/** Removes everything of earlier rows: keys, settings, and a log that Redis would rewrite during a measurement. */
export const emptyRedis = async (url: string, settings: RedisSettings = {}): Promise<void> => {
  const redis = new Redis(url);
  await redis.flushall();
  await redis.config('SET', 'auto-aof-rewrite-percentage', '0');
  for (const [name, value] of Object.entries({ ...asUsual, ...settings })) await redis.config('SET', name, value);
  redis.disconnect();
};

export const SCHEMA = 'kibble';

/** A database with production's tables. No connection remains, so it can be copied. */
export const createMigrated = async (serverUrl: string): Promise<TestDatabase> => {
  const database = await createDatabase(serverUrl);
  await migrateDatabase(database.url);
  return database;
};

/** Makes production's tables. */
export const migrateDatabase = async (url: string): Promise<void> => {
  const pool = createPool({ url, max: 2, log: silentLog });
  await migrateOn({ pool, schema: SCHEMA, log: silentLog });
  await pool.end();
};
