import type { Pool } from 'pg';
import { systemClock } from '../../server/adapter/machine/system-clock.ts';
import { Database } from '../../server/adapter/postgres/database.ts';
import { PostgresTimerStore } from '../../server/adapter/postgres/timer/timer-store.ts';
import { alwaysExclusive } from '../../server/runtime/always-exclusive.ts';
import type { DueIndex } from '../../server/timer/index/due-index.ts';
import { TimerEngine } from '../../server/timer/timer-engine.ts';
import { silentLog } from '../../test/support/log/silent-log.ts';
import { inLanes, microsACall } from '../harness/in-lanes.ts';
import { SCHEMA } from '../harness/migrated.ts';
import { farTimes, ownerOf } from '../lateness/due-times.ts';

const KIND = 'bench';
const DAY_MS = 86_400_000;
const IN_FLIGHT = 64;
const WARM_UP = 2_000;
/** Owners of their own, after those that wait. */
const FIRST_ID = 100_000_000;

export const operations = ['schedule', 'reschedule', 'cancel'] as const;
export type Operation = (typeof operations)[number];

/** Microseconds a call of the engine, one timer each, 64 in flight, while what is in `pool` waits. */
export const timeCalls = async (
  pool: Pool,
  index: DueIndex,
  count: number,
): Promise<Readonly<Record<Operation, number>>> => {
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
  engine.register({ kind: KIND, fire: async () => undefined });
  await engine.start();
  await rebuilt.promise;
  const times = farTimes(WARM_UP + count);
  const { timers } = engine;
  const key = (id: number) => ({ kind: KIND, subject: `own-${id}` });
  const timeOf = (id: number): number => times[id] ?? 0;
  const calls: Record<Operation, (id: number) => Promise<unknown>> = {
    schedule: (id) => timers.schedule([{ ...key(id), owner: ownerOf(FIRST_ID + id), dueAtMs: timeOf(id) }]),
    reschedule: (id) => timers.reschedule([{ ...key(id), dueAtMs: timeOf(id) + 60_000 }]),
    cancel: (id) => timers.cancel([key(id)]),
  };
  const took = { schedule: 0, reschedule: 0, cancel: 0 };
  for (const operation of operations) {
    await inLanes(WARM_UP, IN_FLIGHT, calls[operation]);
    took[operation] = await microsACall(count, IN_FLIGHT, (at) => calls[operation](WARM_UP + at));
  }
  await engine.stop();
  return took;
};
