import { setTimeout as sleep } from 'node:timers/promises';
import { type Session, scheduleAll, startFor } from '../measure/session.ts';
import type { Outcome } from '../measure/timer-system.ts';
import { judgeRace, type RaceCall } from './race-verdict.ts';

const STEP_MS = 2;
const SHIFT_MS = 4_000;
/** The calls come from so long before the due time on, until so long after it. */
const [BEFORE_MS, AFTER_MS] = [50, 150];
const QUIET_MS = 1_500;
const GIVE_UP_MS = 15_000;

/** One timer due each 2 ms, each moved by four seconds at some moment around its due time. */
export const measureRace = async (session: Session): Promise<Readonly<Record<string, number>>> => {
  const { log, random, sizes } = session;
  const first = session.takeIds(sizes.race);
  const startMs = startFor(session, sizes.race) + 500;
  const items = Array.from({ length: sizes.race }, (_, at) => ({ id: first + at, dueAtMs: startMs + at * STEP_MS }));
  log.forget();
  await scheduleAll(session, items);
  const plan = items
    .map((item) => ({ ...item, callAtMs: item.dueAtMs - BEFORE_MS + random() * (BEFORE_MS + AFTER_MS) }))
    .sort((left, right) => left.callAtMs - right.callAtMs);

  const calling: Promise<Omit<RaceCall, 'fires'> & { readonly id: number }>[] = [];
  for (const { id, dueAtMs, callAtMs } of plan) {
    const waitMs = callAtMs - log.nowMs();
    if (waitMs > 1) await sleep(waitMs);
    calling.push(move(session, id, dueAtMs));
  }
  const calls = await Promise.all(calling);
  const lastDueAtMs = startMs + sizes.race * STEP_MS + SHIFT_MS;
  await sleep(Math.max(0, lastDueAtMs + QUIET_MS - log.nowMs()));
  await log.waitForQuiet(QUIET_MS, lastDueAtMs + GIVE_UP_MS);
  return judgeRace(calls.map((call) => ({ ...call, fires: log.firesOf(call.id) })));
};

const move = async ({ system, log }: Session, id: number, dueAtMs: number) => {
  const newDueAtMs = dueAtMs + SHIFT_MS;
  const calledAtMs = log.nowMs();
  // Whoever gets an error expects nothing, as after a refusal.
  const outcome = await system.reschedule(id, newDueAtMs).catch((): Outcome => 'too-late');
  return { id, dueAtMs, newDueAtMs, calledAtMs, answeredAtMs: log.nowMs(), outcome };
};
