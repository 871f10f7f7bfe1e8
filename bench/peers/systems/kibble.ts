import { systemClock } from '../../../server/adapter/machine/system-clock.ts';
import { Database } from '../../../server/adapter/postgres/database.ts';
import { createPool } from '../../../server/adapter/postgres/pool.ts';
import { PostgresTimerStore } from '../../../server/adapter/postgres/timer/timer-store.ts';
import { alwaysExclusive } from '../../../server/runtime/always-exclusive.ts';
import { limits } from '../../../server/settings/config.ts';
import type { ChangeOutcome } from '../../../server/timer/model/timer-changes.ts';
import { TimerEngine } from '../../../server/timer/timer-engine.ts';
import { silentLog } from '../../../test/support/log/silent-log.ts';
import { migrateDatabase, SCHEMA } from '../../harness/migrated.ts';
import { openRedisIndex, openWheel } from '../../lateness/due-index.ts';
import { type Fires, type Item, type OpenSystem, type Outcome, ownerOf, POOL_SIZE } from '../measure/timer-system.ts';

const KIND = 'peers';
const RETENTION_MS = 86_400_000;

/** The engine: rows in Postgres, the index on the wheel or in Redis. The effect is committed with the timer's state. */
export const open: OpenSystem = async ({ redisUrl, postgresUrl }, variant) => {
  await migrateDatabase(postgresUrl);
  const pool = createPool({ url: postgresUrl, max: POOL_SIZE, log: silentLog });
  const { index } = variant === 'redis' ? await openRedisIndex(redisUrl) : await openWheel();
  const rebuilt = Promise.withResolvers<void>();
  let fires: Fires | undefined;
  const engine = new TimerEngine({
    store: new PostgresTimerStore(new Database({ pool, schema: SCHEMA })),
    index,
    clock: systemClock,
    log: silentLog,
    exclusive: alwaysExclusive,
    retentionMs: RETENTION_MS,
    batchLimit: limits.timers.batch,
    observe: (event) => {
      if (event.type === 'rebuilt') rebuilt.resolve();
      if (event.type === 'fired') fires?.committed(event.timers.map(({ subject }) => Number(subject)));
    },
  });
  engine.register({
    kind: KIND,
    fire: async (timers, tx, nowMs) => {
      const ids = timers.map(({ subject }) => Number(subject));
      fires?.began(ids);
      await tx.query('insert into effect select unnest($1::bigint[]), $2', [ids, nowMs]);
      return undefined;
    },
  });
  await engine.start();
  await rebuilt.promise;
  const { timers } = engine;
  const schedule = async (items: readonly Item[]): Promise<void> => {
    const wanted = items.map(({ id, dueAtMs }) => ({ ...keyOf(id), owner: `owner-${ownerOf(id)}`, dueAtMs }));
    await timers.schedule(wanted);
  };

  return {
    settings: `pool ${POOL_SIZE}, batches of ${limits.timers.batch}, key (kind, subject), 1,000 a bulk call; cancelled rows are kept`,
    schedule: (item) => schedule([item]),
    bulk: { limit: 1_000, schedule },
    reschedule: async (id, dueAtMs) => outcomeOf(await timers.reschedule([{ ...keyOf(id), dueAtMs }])),
    shift: async (id, byMs) => outcomeOf(await timers.shift([{ ...keyOf(id), byMs }])),
    cancel: async (id) => outcomeOf(await timers.cancel([keyOf(id)])),
    start: async (own) => {
      fires = own;
    },
  };
};

const keyOf = (id: number) => ({ kind: KIND, subject: String(id) });

const outcomeOf = ([answer]: readonly ChangeOutcome[]): Outcome =>
  answer?.outcome === 'applied' ? 'applied' : 'too-late';
