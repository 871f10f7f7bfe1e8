import { MemoryDueIndex } from '../adapter/memory/memory-due-index.ts';
import type { Database } from '../adapter/postgres/database.ts';
import { checkPool, whyTablesAreHidden } from '../adapter/postgres/schema/check-pool.ts';
import { readEpoch } from '../adapter/postgres/schema/epoch.ts';
import { migrateOn } from '../adapter/postgres/schema/migrate.ts';
import type { RedisDueIndex } from '../adapter/redis/index/redis-due-index.ts';
import type { EngineLog } from '../runtime/engine-log.ts';
import type { RightToRun } from './right-to-run.ts';

interface Ground {
  readonly database: Database;
  readonly log: EngineLog;
  readonly index: MemoryDueIndex | RedisDueIndex;
  readonly right: RightToRun;
}

/**
 * What comes before anything works: the right to run, the tables, the index. Throws what is wrong with Postgres or
 * Redis; a Redis that is away is awaited. `held`: connections that locks keep for good, besides that of the right.
 */
export const prepareDatabase = async ({ database, log, index, right }: Ground, held: number): Promise<void> => {
  const { pool, schema } = database;
  await checkPool({ pool, held: held + 1 });
  // First the right to run: a second process must not even migrate.
  await right.acquire();
  try {
    await migrateOn({ pool, schema, log });
    const hidden = await whyTablesAreHidden(database);
    if (hidden) log.warn({ code: 'database/search-path' }, hidden);
    if (!(index instanceof MemoryDueIndex)) await index.start(await readEpoch(database));
  } catch (error) {
    await right.release();
    throw error;
  }
};
