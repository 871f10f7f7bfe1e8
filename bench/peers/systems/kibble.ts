import { createPool } from '../../../server/adapter/postgres/pool.ts';
import { limits } from '../../../server/settings/config.ts';
import type { ChangeOutcome } from '../../../server/timer/model/timer-changes.ts';
import { silentLog } from '../../../test/support/log/logs.ts';
import { migrateDatabase } from '../../harness/stores.ts';
import { openRedisIndex, openWheel } from '../../timers/due-index.ts';
import { KIND, openEngine } from '../../timers/open-engine.ts';
import { type Fires, type Item, type OpenSystem, type Outcome, ownerOf, POOL_SIZE } from '../measure/timer-system.ts';

/** The engine: rows in Postgres, the index on the wheel or in Redis. The effect commits with the timer's state. */
export const open: OpenSystem = async ({ redisUrl, postgresUrl }, variant) => {
  await migrateDatabase(postgresUrl);
  const pool = createPool({ url: postgresUrl, max: POOL_SIZE, log: silentLog });
  const { index } = variant === 'redis' ? await openRedisIndex(redisUrl) : await openWheel();
  let fires: Fires | undefined;
  const { timers } = await openEngine({
    pool,
    index,
    batchLimit: limits.timers.batch,
    fire: async (due, tx, nowMs) => {
      const ids = due.map(({ subject }) => Number(subject));
      fires?.began(ids);
      await tx.query('insert into effect select unnest($1::bigint[]), $2', [ids, nowMs]);
      return undefined;
    },
    observe: (event) => {
      if (event.type === 'fired') fires?.committed(event.timers.map(({ subject }) => Number(subject)));
    },
  });
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
