import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../../harness/spread.ts';
import { type Session, scheduleAll, startFor } from '../measure/session.ts';
import type { Outcome } from '../measure/timer-system.ts';

const STEP_MS = 2;
/** The calls come from this time before the due time until this time after it. */
const [BEFORE_MS, AFTER_MS] = [50, 150];

/** The distance of the moves, the silence at the end, and when a timer is lost: so long after the last due time. */
const usualTimes = { shiftMs: 4_000, quietMs: 1_500, giveUpMs: 15_000 };

/** One timer due every 2 ms, each moved by four seconds at some moment around its due time. */
export const measureRace = async (
  session: Session,
  { shiftMs, quietMs, giveUpMs } = usualTimes,
): Promise<Readonly<Record<string, number>>> => {
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
    calling.push(move(session, { id, dueAtMs, newDueAtMs: dueAtMs + shiftMs }));
  }
  const calls = await Promise.all(calling);
  const lastDueAtMs = startMs + sizes.race * STEP_MS + shiftMs;
  await sleep(Math.max(0, lastDueAtMs + quietMs - log.nowMs()));
  await log.waitForEach(
    items.map(({ id }) => id),
    lastDueAtMs + giveUpMs,
  );
  await log.waitForQuiet(quietMs, lastDueAtMs + giveUpMs);
  return judgeRace(calls.map((call) => ({ ...call, fires: log.firesOf(call.id) })));
};

type Move = Pick<RaceCall, 'dueAtMs' | 'newDueAtMs'> & { readonly id: number };

const move = async ({ system, log }: Session, planned: Move) => {
  const calledAtMs = log.nowMs();
  const outcome = await system.reschedule(planned.id, planned.newDueAtMs).catch((): Answer => 'failed');
  return { ...planned, calledAtMs, answeredAtMs: log.nowMs(), outcome };
};

/** `failed`: an error instead of an answer. */
type Answer = Outcome | 'failed';

/** One change of a due time, made around that time. Epoch ms. */
export interface RaceCall {
  readonly dueAtMs: number;
  readonly newDueAtMs: number;
  readonly calledAtMs: number;
  readonly answeredAtMs: number;
  readonly outcome: Answer;
  /** All times at which its handler began. */
  readonly fires: readonly number[];
}

/** Two clocks are compared, one of them with whole milliseconds. */
const SLACK_MS = 2;

/**
 * The errors. `stale`: a handler began at the old time after the change was acknowledged. `again`: the timer had fired
 * before the call, which caused a second fire. `doubled`: it fired twice for another reason. `ignored`: the change was
 * not refused, but the timer fired only at its old time. `lost`: it never fired.
 */
export const judgeRace = (calls: readonly RaceCall[]): Readonly<Record<string, number>> => {
  const count = (isSo: (call: RaceCall) => boolean): number => calls.filter(isSo).length;
  return {
    raceCalls: calls.length,
    raceApplied: count(({ outcome }) => outcome === 'applied'),
    raceRefused: count(({ outcome }) => outcome === 'too-late'),
    raceSilent: count(({ outcome }) => outcome === 'silent'),
    failed: count(({ outcome }) => outcome === 'failed'),
    stale: count((call) => staleFires(call).length > 0),
    staleWorstMs: Math.max(
      0,
      ...calls.flatMap((call) => staleFires(call).map((firedAtMs) => firedAtMs - call.answeredAtMs)),
    ),
    again: count((call) => call.fires.length > 1 && isFiredBefore(call)),
    doubled: count((call) => call.fires.length > 1 && !isFiredBefore(call)),
    ignored: count((call) => isBelieved(call) && call.fires.length > 0 && call.fires.every((at) => isOld(call, at))),
    lost: count(({ fires }) => fires.length === 0),
    early: count(({ fires, dueAtMs }) => fires.some((firedAtMs) => firedAtMs < dueAtMs - SLACK_MS)),
    raceCallP99: quantile(
      calls.map(({ calledAtMs, answeredAtMs }) => answeredAtMs - calledAtMs),
      0.99,
    ),
  };
};

/** The caller was not told that the change came too late. After an error it expects nothing either. */
const isBelieved = ({ outcome }: RaceCall): boolean => outcome !== 'too-late' && outcome !== 'failed';

const isOld = ({ newDueAtMs }: RaceCall, firedAtMs: number): boolean => firedAtMs < newDueAtMs - SLACK_MS;

const isFiredBefore = ({ fires, calledAtMs }: RaceCall): boolean => (fires[0] ?? calledAtMs) < calledAtMs;

const staleFires = (call: RaceCall): readonly number[] =>
  isBelieved(call) ? call.fires.filter((at) => at > call.answeredAtMs && isOld(call, at)) : [];
