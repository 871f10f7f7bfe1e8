import { type CallRate, callRate } from '../measure/call-rate.ts';
import { farDueAtMs, farItems, IN_FLIGHT, type Session, scheduleBulk } from '../measure/session.ts';
import type { Filled } from './fill.ts';

const SHIFT_MS = 60_000;

/** Calls a second of each sort, and what one costs this process. */
export const measureCalls = async (session: Session, filled: Filled): Promise<Readonly<Record<string, number>>> => {
  const { system, sizes, random } = session;
  const load = { count: sizes.calls, atMostMs: sizes.callsAtMostMs, inFlight: IN_FLIGHT };
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
