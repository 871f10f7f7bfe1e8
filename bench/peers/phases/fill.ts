import type { Pool } from 'pg';
import { callRate } from '../measure/call-rate.ts';
import { farItems, IN_FLIGHT, type Session, scheduleAll } from '../measure/session.ts';
import { storeSize } from '../measure/store-size.ts';

const WARM_UP_CALLS = 2_000;
const WARM_UP_AT_MOST_MS = 1_200;
const PART = 5_000;

/** Compilers, connections and prepared statements. */
export const warmUp = async (session: Session): Promise<void> => {
  const { system } = session;
  const items = farItems(session, WARM_UP_CALLS);
  const load = { count: WARM_UP_CALLS, atMostMs: WARM_UP_AT_MOST_MS, inFlight: IN_FLIGHT };
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

export interface Filled {
  readonly firstId: number;
  readonly count: number;
  readonly figures: Readonly<Record<string, number>>;
}

/** Puts in the timers that wait, and finds what one takes; then gives Postgres its statistics. */
export const fill = async (session: Session, pending: number, pool: Pool, redisUrl: string): Promise<Filled> => {
  const before = await storeSize(pool, redisUrl);
  const startedAtMs = performance.now();
  const firstId = session.takeIds(0);
  let count = 0;
  while (count < pending && performance.now() - startedAtMs < session.sizes.fillAtMostMs) {
    const part = Math.min(PART, pending - count);
    await scheduleAll(session, farItems(session, part));
    count += part;
  }
  session.schedulesPerSec = (count / (performance.now() - startedAtMs)) * 1_000;
  const after = await storeSize(pool, redisUrl);
  await pool.query('analyze');
  await pool.query('checkpoint');
  const figures = {
    filled: count,
    redisBytes: (after.redisBytes - before.redisBytes) / count,
    postgresBytes: (after.postgresBytes - before.postgresBytes) / count,
  };
  return { firstId, count, figures };
};
