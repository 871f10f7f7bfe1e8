import type { OpsStep } from '../../shared/ops/ops-explanation.ts';
import type { OpsWork } from '../../shared/ops/ops-thing.ts';
import { dueAtMs } from '../../shared/work.ts';
import { exactInstant, signed, span } from '../words/formats.ts';

/** The sum of a step's due time: `16:00:00 + 4 h = 20:00:00`. Undefined if nothing is added up. */
export const sumOf = (step: OpsStep, nowMs: number): string | undefined => {
  const { at, dueBeforeMs, dueAfterMs, effectMs, workBefore, workAfter } = step;
  if (dueAfterMs === undefined) return undefined;
  if (dueBeforeMs === undefined) return workAfter && workSum(workAfter, dueAfterMs, nowMs);
  if (effectMs === 0) return undefined;
  if (workBefore && workAfter && !isSameBoost(workBefore, workAfter, at)) return workSum(workAfter, dueAfterMs, nowMs);
  const move = `${exactInstant(dueBeforeMs, nowMs)} ${signed(effectMs)} = ${exactInstant(dueAfterMs, nowMs)}`;
  const cutMs = workBefore && workAfter ? workBefore.leftMs - workAfter.leftMs : 0;
  if (!workBefore || !workAfter || cutMs <= 0) return move;
  return `${span(workBefore.leftMs)} − ${span(cutMs)} = ${span(workAfter.leftMs)}, ${move}`;
};

/** Ended boosts have no effect. */
const isSameBoost = (one: OpsWork, other: OpsWork, atMs: number): boolean => {
  const [before, after] = [one, other].map(({ boost }) => (boost && boost.endsAtMs > atMs ? boost : undefined));
  return before?.rate === after?.rate && before?.endsAtMs === after?.endsAtMs;
};

const workSum = ({ leftMs, sinceAtMs, boost }: OpsWork, dueAfterMs: number, nowMs: number): string | undefined => {
  const dueMs = dueAtMs({ leftMs, sinceAtMs }, boost);
  // A sum that does not give the due time would explain nothing.
  if (dueMs !== dueAfterMs) return undefined;
  const [since, due] = [exactInstant(sinceAtMs, nowMs), exactInstant(dueMs, nowMs)];
  const boostedMs = boost ? Math.max(0, boost.endsAtMs - sinceAtMs) : 0;
  if (!boost || boostedMs === 0) return `${since} + ${span(leftMs)} = ${due}`;
  if (leftMs <= boostedMs * boost.rate) return `${since} + ${span(leftMs)} ÷ ${boost.rate} = ${due}`;
  return `${since} + ${span(leftMs)} − ${span(boostedMs)} × (${boost.rate} − 1) = ${due}`;
};
