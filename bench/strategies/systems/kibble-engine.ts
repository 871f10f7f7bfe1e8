import { createPool } from '../../../server/adapter/postgres/pool.ts';
import { silentLog } from '../../../test/support/log/logs.ts';
import { migrateDatabase } from '../../harness/stores.ts';
import { openRedisIndex } from '../../timers/due-index.ts';
import { ownerOf } from '../../timers/due-times.ts';
import { KIND, openEngine } from '../../timers/open-engine.ts';
import type { Item, OpenStrategy } from './strategy.ts';

/** The whole engine: a row in Postgres for each timer and its state, and the index in Redis. It uses the system's clock. */
export const kibbleEngine: OpenStrategy = async ({ redisUrl, postgresUrl, hand }) => {
  await migrateDatabase(postgresUrl);
  const pool = createPool({ url: postgresUrl, max: 4, log: silentLog });
  const { index, close } = await openRedisIndex(redisUrl);
  const engine = await openEngine({
    pool,
    index,
    fire: async (timers) => {
      hand(timers.map(({ subject }) => Number(subject)));
      return undefined;
    },
  });
  const target = ({ id, dueAtMs }: Item) => ({ kind: KIND, subject: String(id), dueAtMs });
  return {
    schedule: async (items) => {
      await engine.timers.schedule(items.map((item) => ({ ...target(item), owner: ownerOf(item.id) })));
    },
    move: async (moves) => {
      await engine.timers.reschedule(moves.map(target));
    },
    loops: [],
    close: async () => {
      await engine.stop();
      close();
      await pool.end();
    },
  };
};
