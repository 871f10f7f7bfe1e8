import type { Pool } from 'pg';
import { systemClock } from '../../server/adapter/machine/system-clock.ts';
import { Database } from '../../server/adapter/postgres/database.ts';
import { PostgresTimerStore } from '../../server/adapter/postgres/timer/timer-store.ts';
import { alwaysExclusive } from '../../server/runtime/always-exclusive.ts';
import type { DueIndex } from '../../server/timer/index/due-index.ts';
import type { FireKind } from '../../server/timer/model/timer-kind.ts';
import { TimerEngine } from '../../server/timer/timer-engine.ts';
import { silentLog } from '../../test/support/log/silent-log.ts';
import { SCHEMA } from '../harness/migrated.ts';
import type { Sample } from '../harness/row.ts';
import { dueTimes, ownerOf, type Plan } from './due-times.ts';
import { LatenessLog } from './lateness-log.ts';

const DAY_MS = 86_400_000;

/** Its effect is a row, committed with the timer's state. */
const kind: FireKind = {
  kind: 'bench',
  fire: async (timers, tx, nowMs) => {
    await tx.query('insert into effect select unnest($1::bigint[]), $2', [timers.map(({ id }) => id), nowMs]);
    return undefined;
  },
};

let subjects = 0;

/** From the due time until the effect is committed, with all that waits in `pool` in the index. */
export const engineLateness = async (pool: Pool, index: DueIndex, plan: Plan): Promise<Sample> => {
  const rebuilt = Promise.withResolvers<void>();
  let log: LatenessLog | undefined;
  const engine = new TimerEngine({
    store: new PostgresTimerStore(new Database({ pool, schema: SCHEMA })),
    index,
    clock: systemClock,
    log: silentLog,
    exclusive: alwaysExclusive,
    retentionMs: DAY_MS,
    observe: (event) => {
      if (event.type === 'rebuilt') rebuilt.resolve();
      if (event.type === 'fired') for (const { dueAtMs } of event.timers) log?.note(dueAtMs);
    },
  });
  engine.register(kind);
  await engine.start();
  await rebuilt.promise;
  const times = dueTimes(plan);
  log = new LatenessLog(times);
  const timers = times.atMs.map((dueAtMs) => {
    subjects += 1;
    return { kind: kind.kind, subject: `due-${subjects}`, owner: ownerOf(subjects), dueAtMs };
  });
  await engine.timers.schedule(timers);
  return log.sample().finally(() => engine.stop());
};
