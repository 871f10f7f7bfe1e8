import { inspect, isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { Catalogue } from '../shared/pets/catalogue.ts';
import type { History } from './arbitraries.ts';

/** What laws are tried on: rules, and what players and time do under them. */
export interface World {
  readonly catalogue: fc.Arbitrary<Catalogue>;
  /** Rules that come into force in the middle of a history. */
  readonly laterCatalogue: fc.Arbitrary<Catalogue>;
  readonly history: fc.Arbitrary<History>;
  /** About a twelfth of the longest meal. */
  readonly unitMs: number;
  /** Longer than everything that a history can leave going. */
  readonly restMs: number;
}

/** Something that is true of all rules and all histories. */
export interface Law {
  readonly title: string;
  /** Tries it so often; returns the smallest counterexample, with what replays it, or undefined. */
  counterexample(world: World, runs: number): string | undefined;
}

/** `claim` throws where the law does not hold. */
export const law = <Values extends [unknown, ...unknown[]]>(
  title: string,
  values: (world: World) => { [Index in keyof Values]: fc.Arbitrary<Values[Index]> },
  claim: (world: World, ...values: Values) => void,
): Law => ({
  title,
  counterexample: (world, runs) => {
    const property = fc.property<Values>(...values(world), (...tried) => claim(world, ...tried));
    const details = fc.check(property, { numRuns: runs });
    if (!details.failed) return undefined;
    const { message } = details.errorInstance instanceof Error ? details.errorInstance : { message: '' };
    return `${message}\n${fc.defaultReportMessage(details)}`;
  },
});

export const hold = (isSo: boolean, what = 'this does not hold'): void => {
  if (!isSo) throw new Error(what);
};

/** Equal in all that is there: a property that is undefined is none. */
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
