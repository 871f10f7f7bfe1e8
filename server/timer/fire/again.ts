import { handleRejections, isA, textOf } from '../../../shared/game-code.ts';
import { readOptions } from '../../../shared/options/read-options.ts';
import { anything, fields, instantMs } from '../../../shared/options/shapes.ts';
import type { Timer } from '../model/timer.ts';
import type { TimerUpdate } from '../model/timer-store.ts';
import { turnAfter, withOneMore } from '../recurrence/recurrence.ts';
import { asJson, notKept, storableResult } from './handler-io.ts';

/** The return value of `again`: the timer comes again. */
export class Again {
  readonly dueAtMs: number;
  readonly payload: unknown;

  constructor(dueAtMs: number, payload: unknown) {
    this.dueAtMs = dueAtMs;
    this.payload = payload;
  }
}

/**
 * For a `call` handler to return: its timer comes again at `dueAtMs`. It is the same row with the next turn, and
 * retains its payload unless another one is given. Throws `OptionsRefused` if an argument is not valid.
 */
export const again = (dueAtMs: number, payload?: unknown): Again => {
  const read = readOptions(againArguments, { dueAtMs, payload }, 'again');
  return new Again(read.dueAtMs, read.payload);
};

export const againArguments = fields({ dueAtMs: instantMs(), payload: anything.optional() });

/** Returns the new state of a row after its call returned `result` at `nowMs`. What the handler asks for overrides the recurrence. */
export const afterCall = (timer: Timer, result: unknown, nowMs: number): TimerUpdate => {
  const { id: timerId, revision, fireAtMs, attempt, turn, recurrence } = timer;
  const completed = (kept: unknown): TimerUpdate => {
    return { timerId, revision, fireAtMs, attempt, state: 'completed', result: kept };
  };
  const asked = isA(result, Again) ? asJson({ toJSON: () => ({ ...result }) }) : undefined;
  if (asked && !asked.ok) {
    handleRejections(result);
    return completed(notKept(`the payload of its next turn: ${asked.error}`));
  }
  // A turn that the handler asked for is not one of the turns that the recurrence counts.
  const putOff = asked && { ...(asked.value as Again), turn: turn + 1, recurrence: withOneMore(recurrence) };
  const again = putOff ?? (recurrence && turnAfter(recurrence, timer));
  if (!again) return completed(storableResult(result));
  // A late turn of a recurrence is judged as late. A time that the handler gave is not late.
  const nextMs = putOff ? Math.max(again.dueAtMs, nowMs) : again.dueAtMs;
  return { timerId, revision, fireAtMs: nextMs, attempt: 0, state: 'scheduled', again };
};

/** If the store refuses an update, the call's result is usually the reason: the timer completes without the result. */
export const withoutResult = ({ timerId, revision, fireAtMs, attempt }: TimerUpdate, error: unknown): TimerUpdate => {
  return { timerId, revision, fireAtMs, attempt, state: 'completed', result: notKept(textOf(error)) };
};
