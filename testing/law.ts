import fc from 'fast-check';
import type { Catalogue } from '../shared/pets/catalogue.ts';
import type { History } from './arbitraries.ts';

/** The input of laws: rules, and the acts and waits of a history. */
export interface World {
  readonly catalogue: fc.Arbitrary<Catalogue>;
  /** Rules that come into force in the middle of a history. */
  readonly laterCatalogue: fc.Arbitrary<Catalogue>;
  readonly history: fc.Arbitrary<History>;
  /** About a twelfth of the longest meal. */
  readonly unitMs: number;
  /** Longer than all work that a history can leave running. */
  readonly restMs: number;
}

/** A claim about all rules and all histories. */
export interface Law {
  readonly title: string;
  /** Tries it so often; returns the smallest counterexample with its replay, or undefined. `seed`: that of an earlier run. */
  counterexample(world: World, runs: number, seed?: number): string | undefined;
}

/** `claim` throws if the law does not hold. */
export const law = <Values extends [unknown, ...unknown[]]>(
  title: string,
  values: (world: World) => { [Index in keyof Values]: fc.Arbitrary<Values[Index]> },
  claim: (world: World, ...values: Values) => void,
): Law => ({
  title,
  counterexample: (world, runs, seed) => {
    const property = fc.property<Values>(...values(world), (...tried) => claim(world, ...tried));
    const details = fc.check(property, { numRuns: runs, ...(seed !== undefined && { seed }) });
    if (!details.failed) return undefined;
    const { message } = details.errorInstance instanceof Error ? details.errorInstance : { message: '' };
    return `${message}\n${fc.defaultReportMessage(details)}`;
  },
});
