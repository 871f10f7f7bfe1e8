import type { OpsWork } from '../../../shared/ops/ops-thing.ts';
import { type Boost, dueAtMs, restate, type Work } from '../../../shared/work.ts';

/** Modules do not store work deeper than this. */
const DEPTH = 3;

/**
 * Finds the work (`shared/work.ts`) in a thing that gives its due time, wherever the module stores it. Work with
 * another due time explains nothing: then undefined.
 */
export const workIn = (thing: object | undefined, dueMs: number | undefined): OpsWork | undefined => {
  if (!thing || dueMs === undefined) return undefined;
  const parts = partsOf(thing, DEPTH);
  const boosts = [undefined, ...parts.filter(isBoost)];
  for (const work of parts.filter(isWork)) {
    for (const boost of boosts) if (dueAtMs(work, boost) === dueMs) return shownWork(work, boost);
  }
  return undefined;
};

/** The same work as of an instant. */
export const workAt = (work: OpsWork | undefined, atMs: number): OpsWork | undefined =>
  work && shownWork(restate(work, work.boost, Math.max(atMs, work.sinceAtMs)), work.boost);

const shownWork = ({ leftMs, sinceAtMs }: Work, boost: Boost | undefined): OpsWork => ({
  leftMs,
  sinceAtMs,
  boost: boost && boost.endsAtMs > sinceAtMs ? { rate: boost.rate, endsAtMs: boost.endsAtMs } : undefined,
});

const partsOf = (value: object, depth: number): readonly object[] => [
  value,
  ...(depth > 1 ? Object.values(value).flatMap((inner) => (isObject(inner) ? partsOf(inner, depth - 1) : [])) : []),
];

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isWork = (value: object): value is Work => isWhole(value, 'leftMs') && isWhole(value, 'sinceAtMs');
const isBoost = (value: object): value is Boost => isWhole(value, 'rate') && isWhole(value, 'endsAtMs');
const isWhole = (value: object, field: string): boolean => Number.isInteger(Reflect.get(value, field));
