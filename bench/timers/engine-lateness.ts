import type { Pool } from 'pg';
import type { DueIndex } from '../../server/timer/index/due-index.ts';
import type { Sample } from '../harness/row.ts';
import { dueTimes, ownerOf, type Plan } from './due-times.ts';
import { LatenessLog } from './lateness-log.ts';
import { KIND, openEngine } from './open-engine.ts';

let subjects = 0;

/**
 * From the due time until the effect, a row, is committed with the timer's state; the index has all waiting timers of
 * `pool`.
 */
export const engineLateness = async (pool: Pool, index: DueIndex, plan: Plan): Promise<Sample> => {
  let log: LatenessLog | undefined;
  const engine = await openEngine({
    pool,
    index,
    fire: async (timers, tx, nowMs) => {
      await tx.query('insert into effect select unnest($1::bigint[]), $2', [timers.map(({ id }) => id), nowMs]);
      return undefined;
    },
    observe: (event) => {
      if (event.type === 'fired') for (const { dueAtMs } of event.timers) log?.note(dueAtMs);
    },
  });
  const times = dueTimes(plan);
  log = new LatenessLog(times);
  const timers = times.atMs.map((dueAtMs) => {
    subjects += 1;
    return { kind: KIND, subject: `due-${subjects}`, owner: ownerOf(subjects), dueAtMs };
  });
  await engine.timers.schedule(timers);
  return log.sample().finally(() => engine.stop());
};
