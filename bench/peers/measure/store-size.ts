import { Redis } from 'ioredis';
import type { Pool } from 'pg';

export interface StoreSize {
  readonly redisBytes: number;
  readonly postgresBytes: number;
}

export const storeSize = async (pool: Pool, redisUrl: string): Promise<StoreSize> => {
  const redis = new Redis(redisUrl);
  const memory = await redis.info('memory');
  redis.disconnect();
  const { rows } = await pool.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes');
  return {
    redisBytes: Number(/used_memory:(\d+)/.exec(memory)?.[1]),
    postgresBytes: Number(rows[0]?.bytes),
  };
};
