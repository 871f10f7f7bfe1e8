import { systemClock } from '../../../server/adapter/machine/system-clock.ts';
import { Database } from '../../../server/adapter/postgres/database.ts';
import { createPool } from '../../../server/adapter/postgres/pool.ts';
import { PostgresTimerStore } from '../../../server/adapter/postgres/timer/timer-store.ts';
import { alwaysExclusive } from '../../../server/runtime/always-exclusive.ts';
import { TimerEngine } from '../../../server/timer/timer-engine.ts';
import { silentLog } from '../../../test/support/log/silent-log.ts';
import { migrateDatabase, SCHEMA } from '../../harness/migrated.ts';
import { openRedisIndex } from '../../lateness/due-index.ts';
import { ownerOf } from '../../lateness/due-times.ts';
import type { Item, OpenStrategy } from './strategy.ts';

const KIND = 'bench';
const DAY_MS = 86_400_000;

/** The whole engine: a row in Postgres for each timer and its state, and the index in Redis. It runs by the system's clock. */
export const kibbleEngine: OpenStrategy = async ({ redisUrl, postgresUrl, hand }) => {
  await migrateDatabase(postgresUrl);
  const pool = createPool({ url: postgresUrl, max: 4, log: silentLog });
  const { index, close } = await openRedisIndex(redisUrl);
  const rebuilt = Promise.withResolvers<void>();
  const engine = new TimerEngine({
    store: new PostgresTimerStore(new Database({ pool, schema: SCHEMA })),
    index,
    clock: systemClock,
    log: silentLog,
    exclusive: alwaysExclusive,
    retentionMs: DAY_MS,
    observe: (event) => {
      if (event.type === 'rebuilt') rebuilt.resolve();
    },
  });
  engine.register({
    kind: KIND,
    fire: async (timers) => {
      hand(timers.map(({ subject }) => Number(subject)));
      return undefined;
    },
  });
  await engine.start();
  await rebuilt.promise;
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
