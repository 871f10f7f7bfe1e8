import fc from 'fast-check';
import { tries } from '../../proof/table/tries.ts';

/**
 * How often each law is tried; `PROPERTY_RUNS` in the environment says less where thousands of mutants are tried.
 * A counterexample prints its seed and path: they go into an example test.
 */
export const PROPERTY_RUNS = Number(process.env.PROPERTY_RUNS ?? tries({ test: 100, proof: 1000 }));

/** Throws a counterexample when the law does not hold. */
export const holds = <Values extends [unknown, ...unknown[]]>(
  values: { [Index in keyof Values]: fc.Arbitrary<Values[Index]> },
  law: (...values: Values) => void,
): void => {
  const property = fc.property<Values>(...values, (...tried) => {
    // An assertion may answer something; a law only throws.
    law(...tried);
  });
  fc.assert(property, { numRuns: PROPERTY_RUNS });
};
