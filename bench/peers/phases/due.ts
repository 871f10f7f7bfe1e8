import { quantile } from '../../harness/spread.ts';
import { type Session, scheduleAll, startFor } from '../measure/session.ts';

/** The wait after the last due time. */
const WAIT_MS = 8_000;

/**
 * Timers that come due evenly, one after another: how late they begin, and how late their effect is durable. The first
 * fifth warms compilers and caches.
 */
export const measureLateness = async (session: Session): Promise<Readonly<Record<string, number>>> => {
  const { log, sizes, random } = session;
  const { late: count, lateSpanMs } = sizes;
  const first = session.takeIds(count);
  const startMs = startFor(session, count);
  const items = Array.from({ length: count }, (_, at) => ({
    id: first + at,
    dueAtMs: Math.round(startMs + ((at + 0.5) * lateSpanMs) / count),
    place: random(),
  })).sort((left, right) => left.place - right.place);
  log.forget();
  await scheduleAll(session, items);
  const isInTime = Date.now() <= startMs;
  await log.waitFor(count, startMs + lateSpanMs + WAIT_MS);

  const counted = items.filter(({ dueAtMs }) => dueAtMs >= startMs + lateSpanMs / 5);
  const began = counted.flatMap(({ id, dueAtMs }) =>
    log
      .firesOf(id)
      .slice(0, 1)
      .map((atMs) => atMs - dueAtMs),
  );
  const committed = counted.flatMap(({ id, dueAtMs }) => {
    const atMs = log.committedAtMs(id);
    return atMs === undefined ? [] : [atMs - dueAtMs];
  });
  return {
    lateMissing: items.filter(({ id }) => log.committedAtMs(id) === undefined).length,
    lateDoubles: items.filter(({ id }) => log.firesOf(id).length > 1).length,
    earliestMs: quantile(began, 0),
    // A timer that was scheduled after its due time says nothing about lateness.
    ...(isInTime && {
      beganP50: quantile(began, 0.5),
      beganP99: quantile(began, 0.99),
      durableP50: quantile(committed, 0.5),
      durableP99: quantile(committed, 0.99),
    }),
  };
};

/** Timers of one instant: when the last one began, and when the last effect was durable. */
export const measureBurst = async (session: Session): Promise<Readonly<Record<string, number>>> => {
  const { log, sizes } = session;
  const { burst: count } = sizes;
  const first = session.takeIds(count);
  const dueAtMs = startFor(session, count);
  const ids = Array.from({ length: count }, (_, at) => first + at);
  log.forget();
  await scheduleAll(
    session,
    ids.map((id) => ({ id, dueAtMs })),
  );
  const isInTime = Date.now() <= dueAtMs;
  await log.waitFor(count, dueAtMs + sizes.burstAtMostMs);

  let [lastBegan, lastDurable, missing] = [0, 0, 0];
  for (const id of ids) {
    const durableAtMs = log.committedAtMs(id);
    if (durableAtMs === undefined) missing += 1;
    lastDurable = Math.max(lastDurable, (durableAtMs ?? 0) - dueAtMs);
    lastBegan = Math.max(lastBegan, (log.firesOf(id)[0] ?? 0) - dueAtMs);
  }
  const isWhole = isInTime && missing === 0;
  return { burstMissing: missing, ...(isWhole && { burstBegan: lastBegan, burstDurable: lastDurable }) };
};
