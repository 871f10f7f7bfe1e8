import type { Pool } from 'pg';
import { storeBytes } from '../../harness/meter.ts';
import {
  type CallRate,
  callRate,
  farDueAtMs,
  farItems,
  type Session,
  scheduleAll,
  scheduleBulk,
} from '../measure/session.ts';

const WARM_UP_CALLS = 2_000;
const WARM_UP_AT_MOST_MS = 1_200;
const PART = 5_000;

/** Warms compilers, connections and prepared statements. */
export const warmUp = async (session: Session): Promise<void> => {
  const { system, sizes } = session;
  const items = farItems(session, WARM_UP_CALLS);
  const load = { count: WARM_UP_CALLS, atMostMs: WARM_UP_AT_MOST_MS, inFlight: sizes.inFlight };
  for (const call of [
    (id: number, dueAtMs: number) => system.schedule({ id, dueAtMs }),
    (id: number, dueAtMs: number) => system.reschedule(id, dueAtMs),
    (id: number) => system.cancel(id),
  ]) {
    await callRate(load, async (at) => {
      const item = items[at];
      if (item !== undefined) await call(item.id, item.dueAtMs);
    });
  }
};

interface Filled {
  readonly firstId: number;
  readonly count: number;
  readonly figures: Readonly<Record<string, number>>;
}

/** Schedules the waiting timers, and measures their bytes; then gives Postgres its statistics. */
export const fill = async (session: Session, pending: number, pool: Pool, redisUrl: string): Promise<Filled> => {
  const before = await storeBytes(redisUrl, pool);
  const startedAtMs = performance.now();
  const firstId = session.takeIds(0);
  let count = 0;
  while (count < pending && performance.now() - startedAtMs < session.sizes.fillAtMostMs) {
    const part = Math.min(PART, pending - count);
    await scheduleAll(session, farItems(session, part));
    count += part;
  }
  session.schedulesPerSec = (count / (performance.now() - startedAtMs)) * 1_000;
  const after = await storeBytes(redisUrl, pool);
  await pool.query('analyze');
  await pool.query('checkpoint');
  const figures = {
    filled: count,
    redisBytes: (after.redisBytes - before.redisBytes) / count,
    postgresBytes: (after.postgresBytes - before.postgresBytes) / count,
  };
  return { firstId, count, figures };
};

const SHIFT_MS = 60_000;

/** The rate of each sort of call, and its cost in this process. */
export const measureCalls = async (session: Session, filled: Filled): Promise<Readonly<Record<string, number>>> => {
  const { system, sizes, random } = session;
  const load = { count: sizes.calls, atMostMs: sizes.callsAtMostMs, inFlight: sizes.inFlight };
  const anyId = (): number => filled.firstId + Math.floor(random() * filled.count);

  const items = farItems(session, sizes.calls);
  const schedule = await callRate(load, async (at) => {
    const item = items[at];
    if (item !== undefined) await system.schedule(item);
  });
  const bulk = await scheduleBulk(session, farItems(session, sizes.calls), sizes.callsAtMostMs);
  const reschedule = await callRate(load, () => system.reschedule(anyId(), farDueAtMs(session)));
  const { shift } = system;
  const shifted = shift && (await callRate(load, () => shift(anyId(), SHIFT_MS)));
  const stride = Math.max(1, Math.floor(filled.count / sizes.calls));
  const cancel = await callRate({ ...load, count: Math.min(sizes.calls, filled.count) }, (at) =>
    system.cancel(filled.firstId + at * stride),
  );
  session.schedulesPerSec = Math.max(schedule.perSec, bulk ?? 0);
  return {
    ...named('schedule', schedule),
    ...(bulk !== undefined && { bulk }),
    ...named('reschedule', reschedule),
    ...(shifted && named('shift', shifted)),
    ...named('cancel', cancel),
  };
};

const named = (name: string, { perSec, cpuUs }: CallRate): Readonly<Record<string, number>> => ({
  [name]: perSec,
  [`${name}Cpu`]: cpuUs,
});
