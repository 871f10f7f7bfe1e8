import type { OpsStep } from '../../shared/ops/ops-explanation.ts';
import { dueAtMs } from '../../shared/work.ts';
import { exactInstant, signed, span } from '../words/formats.ts';

/** How a step comes to its due time: `16:00:00 + 4 h = 20:00:00`. Undefined where nothing is added up. */
export const sumOf = (step: OpsStep, nowMs: number): string | undefined => {
  const { type, dueBeforeMs, dueAfterMs, facts } = step;
  const at = (ms: number): string => exactInstant(ms, nowMs);
  if (dueAfterMs === undefined) return undefined;
  switch (type) {
    case 'started':
    case 'arrived':
    case 'kept':
      return workSum(
        step,
        num(facts.leftMs),
        num(facts.sinceAtMs),
        boostOf(facts.boostRate, facts.boostEndsAtMs),
        nowMs,
      );
    case 'boosted':
      return workSum(step, num(facts.leftBeforeMs), step.at, boostOf(facts.rate, facts.endsAtMs), nowMs);
    case 'cut': {
      const left = `${span(num(facts.leftBeforeMs))} − ${span(num(facts.cutMs))} = ${span(num(facts.leftAfterMs))}`;
      return dueBeforeMs === undefined
        ? left
        : `${left}, ${at(dueBeforeMs)} ${signed(step.effectMs)} = ${at(dueAfterMs)}`;
    }
    case 'shifted':
      return dueBeforeMs === undefined ? undefined : `${at(dueBeforeMs)} ${signed(step.effectMs)} = ${at(dueAfterMs)}`;
    case 'armed':
    case 'completed':
    case 'stopped':
    case 'moved-away':
      return undefined;
    default:
      return type satisfies never;
  }
};

interface Boost {
  readonly rate: number;
  readonly endsAtMs: number;
}

const workSum = (
  { dueAfterMs }: OpsStep,
  leftMs: number,
  sinceAtMs: number,
  boost: Boost | undefined,
  nowMs: number,
): string | undefined => {
  const dueMs = dueAtMs({ leftMs, sinceAtMs }, boost);
  // A sum that does not come out would explain nothing.
  if (dueMs !== dueAfterMs) return undefined;
  const [since, due] = [exactInstant(sinceAtMs, nowMs), exactInstant(dueMs, nowMs)];
  const boostedMs = boost ? Math.max(0, boost.endsAtMs - sinceAtMs) : 0;
  if (!boost || boostedMs === 0) return `${since} + ${span(leftMs)} = ${due}`;
  if (leftMs <= boostedMs * boost.rate) return `${since} + ${span(leftMs)} ÷ ${boost.rate} = ${due}`;
  return `${since} + ${span(leftMs)} − ${span(boostedMs)} × (${boost.rate} − 1) = ${due}`;
};

const num = (fact: string | number | undefined): number => Number(fact ?? 0);

const boostOf = (rate: string | number | undefined, endsAtMs: string | number | undefined): Boost | undefined =>
  rate === undefined || endsAtMs === undefined ? undefined : { rate: num(rate), endsAtMs: num(endsAtMs) };
