import { type Session, scheduleAll, startFor } from '../measure/session.ts';

/** Timers of one instant: when the last began, and when the last effect was durable. */
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
