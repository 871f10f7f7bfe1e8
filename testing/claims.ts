// Without fast-check, which the entry `/testing` does not need.
import { inspect, isDeepStrictEqual } from 'node:util';

export const hold = (isSo: boolean, what = 'this does not hold'): void => {
  if (!isSo) throw new Error(what);
};

/** Equal in all defined properties: an undefined one counts as missing. */
export const same = (actual: unknown, expected: unknown): void => {
  if (isSame(actual, expected)) return;
  throw new Error(`${written(actual)} is not ${written(expected)}`);
};

export const isSame = (one: unknown, other: unknown): boolean =>
  isDeepStrictEqual(withoutUndefined(one), withoutUndefined(other));

export const written = (value: unknown): string =>
  inspect(value, { depth: null, maxArrayLength: null, maxStringLength: null, breakLength: Number.POSITIVE_INFINITY });

const withoutUndefined = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (value instanceof Map) return new Map([...value].map(([key, entry]) => [key, withoutUndefined(entry)]));
  if (typeof value !== 'object' || value === null || value instanceof Error) return value;
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
  return Object.fromEntries(entries.map(([key, entry]) => [key, withoutUndefined(entry)]));
};
