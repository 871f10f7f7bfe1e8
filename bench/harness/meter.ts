import { Redis } from 'ioredis';
import type { Pool } from 'pg';
import { parentOf, postgresMicros } from './cpu.ts';

/** The use of three processes so far. */
export interface Used {
  readonly walBytes: number;
  readonly nodeMicros: number;
  readonly postgresMicros: number;
  readonly redisCommands: number;
  readonly redisMicros: number;
}

/** The use of this process, Postgres and Redis during `work`. */
export const used = async (pool: Pool, redisUrl: string, work: () => Promise<void>): Promise<Used> => {
  const admin = new Redis(redisUrl);
  try {
    const before = await read(pool, admin);
    await work();
    const after = await read(pool, admin);
    return {
      walBytes: after.walBytes - before.walBytes,
      nodeMicros: after.nodeMicros - before.nodeMicros,
      postgresMicros: after.postgresMicros - before.postgresMicros,
      redisCommands: after.redisCommands - before.redisCommands,
      redisMicros: after.redisMicros - before.redisMicros,
    };
  } finally {
    admin.disconnect();
  }
};

const read = async (pool: Pool, admin: Redis): Promise<Used> => {
  const { rows } = await pool.query<{ wal: string; pid: number }>(
    `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as wal, pg_backend_pid() as pid`,
  );
  const [cpu, commands] = await Promise.all([admin.info('cpu'), admin.info('commandstats')]);
  const { user, system } = process.cpuUsage();
  return {
    walBytes: Number(rows[0]?.wal),
    nodeMicros: user + system,
    postgresMicros: postgresMicros(parentOf(rows[0]?.pid ?? 0)),
    redisCommands: sumOf(commands, /:calls=(\d+)/g),
    redisMicros: sumOf(cpu, /used_cpu_(?:sys|user):([\d.]+)/g) * 1_000_000,
  };
};

const sumOf = (text: string, numbers: RegExp): number =>
  [...text.matchAll(numbers)].reduce((sum, [, value]) => sum + Number(value), 0);

/** Memory of Redis. */
export const redisBytes = async (redis: Redis): Promise<number> =>
  Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);

/** Memory of Redis, and what the database has on disk. */
export const storeBytes = async (
  redisUrl: string,
  database: { query<Row extends object>(text: string): Promise<{ readonly rows: Row[] }> },
): Promise<{ readonly redisBytes: number; readonly postgresBytes: number }> => {
  const redis = new Redis(redisUrl);
  const memory = await redisBytes(redis);
  redis.disconnect();
  const { rows } = await database.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes');
  return { redisBytes: memory, postgresBytes: Number(rows[0]?.bytes) };
};
