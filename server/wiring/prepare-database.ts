import type { Pool } from 'pg';
import { MemoryDueIndex } from '../adapter/memory/memory-due-index.ts';
import { acquireSingleProcessLock } from '../adapter/postgres/advisory-lock.ts';
import { checkPool } from '../adapter/postgres/schema/check-pool.ts';
import { createDataSource } from '../adapter/postgres/schema/data-source.ts';
import { whyTablesAreHidden } from '../adapter/postgres/schema/hidden-tables.ts';
import { migrate } from '../adapter/postgres/schema/migrate.ts';
import { readEpoch } from '../adapter/postgres/schema/read-epoch.ts';
import type { RedisDueIndex } from '../adapter/redis/index/redis-due-index.ts';
import type { EngineLog } from '../runtime/engine-log.ts';
import type { Exclusive } from '../runtime/exclusive.ts';

interface Ground {
  readonly pool: Pool;
  readonly schema: string;
  readonly log: EngineLog;
  readonly index: MemoryDueIndex | RedisDueIndex;
}

/**
 * What comes before anything works: the right to be here, the tables, the index. Returns the lock of a process that
 * is alone, to be released at its end. Throws what is wrong with Postgres or Redis; a Redis that is away is awaited.
 * `held`: connections that locks keep for good, besides that one.
 */
export const prepareDatabase = async (
  { pool, schema, log, index }: Ground,
  held: number,
): Promise<Exclusive | undefined> => {
  const isAlone = index instanceof MemoryDueIndex;
  await checkPool({ pool, held: held + (isAlone ? 1 : 0) });
  // First the right to be here: a second process must not even migrate.
  const alone = isAlone ? await acquireSingleProcessLock(pool, schema) : undefined;
  try {
    await migrateOn({ pool, schema, log });
    const hidden = await whyTablesAreHidden(pool, schema);
    if (hidden) log.warn({ code: 'database/search-path' }, hidden);
    if (!isAlone) await index.start(await readEpoch(pool, schema));
    return alone;
  } catch (error) {
    await alone?.release();
    throw error;
  }
};

const migrateOn = async (options: Pick<Ground, 'pool' | 'schema' | 'log'>): Promise<void> => {
  const dataSource = createDataSource(options);
  await dataSource.initialize();
  try {
    await migrate(dataSource);
  } finally {
    await dataSource.destroy();
  }
};
