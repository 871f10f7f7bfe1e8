import { Redis } from 'ioredis';
import { Client } from 'pg';

/** What the stores have: memory of Redis; tables and indexes of Postgres on disk. */
export type StoreSizes = () => Promise<{ readonly redisBytes: number; readonly diskBytes: number }>;

/** Cleans up before it looks, so that nothing does it in the middle of a measurement. */
export const openStoreSizes =
  (redisUrl: string, postgresUrl: string): StoreSizes =>
  async () => {
    const redis = new Redis(redisUrl);
    const memory = await redis.info('memory');
    redis.disconnect();
    const client = new Client({ connectionString: postgresUrl });
    await client.connect();
    await client.query('vacuum analyze');
    await client.query('checkpoint');
    const { rows } = await client.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes');
    await client.end();
    return { redisBytes: Number(/used_memory:(\d+)/.exec(memory)?.[1]), diskBytes: Number(rows[0]?.bytes) };
  };
