import { quantile } from '../../harness/spread.ts';
import type { Outcome } from '../measure/timer-system.ts';

/** One change of a due time, made around that time. Epoch ms. */
export interface RaceCall {
  readonly dueAtMs: number;
  readonly newDueAtMs: number;
  readonly calledAtMs: number;
  readonly answeredAtMs: number;
  readonly outcome: Outcome;
  /** When its handler began, each time. */
  readonly fires: readonly number[];
}

/** Two clocks are compared, and one of them counts whole milliseconds. */
const SLACK_MS = 2;

/**
 * What went wrong. `stale`: a handler began at the old time after the change had been answered and not refused.
 * `again`: it had fired before the call, which made a second fire. `doubled`: it fired twice all the same. `ignored`:
 * the change was not refused, and the timer fired at its old time only. `lost`: it never fired.
 */
export const judgeRace = (calls: readonly RaceCall[]): Readonly<Record<string, number>> => {
  const count = (isSo: (call: RaceCall) => boolean): number => calls.filter(isSo).length;
  return {
    raceCalls: calls.length,
    raceApplied: count(({ outcome }) => outcome === 'applied'),
    raceRefused: count(({ outcome }) => outcome === 'too-late'),
    raceSilent: count(({ outcome }) => outcome === 'silent'),
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

/** The caller was not told that it came too late. */
const isBelieved = ({ outcome }: RaceCall): boolean => outcome !== 'too-late';

const isOld = ({ newDueAtMs }: RaceCall, firedAtMs: number): boolean => firedAtMs < newDueAtMs - SLACK_MS;

const isFiredBefore = ({ fires, calledAtMs }: RaceCall): boolean => (fires[0] ?? calledAtMs) < calledAtMs;

const staleFires = (call: RaceCall): readonly number[] =>
  isBelieved(call) ? call.fires.filter((at) => at > call.answeredAtMs && isOld(call, at)) : [];
