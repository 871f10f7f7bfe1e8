import type { Pool } from 'pg';
import type { EntityManager } from 'typeorm';
import { epochEntity } from './entities/home/epoch.ts';
import { Records } from './records.ts';

/** What the database calls itself; made with its tables, and anew when it was restored. `schema` is a checked identifier. */
export const readEpoch = (pool: Pool, schema: string): Promise<string> => new Records({ pool, schema }).read(epochOn);

export const epochOn = async (manager: EntityManager): Promise<string> => {
  const [row] = await manager.find(epochEntity);
  if (!row) throw new Error('the table epoch is empty: run the migrations');
  return row.epoch;
};
