import { type CustomTypesConfig, types } from 'pg';

/**
 * Reads `bigint` as a number. Ours are epoch milliseconds, counts and sequences: far below 2^53, and checked.
 *
 * Parsers are passed with a pool or with one statement, never set for all of `pg`: the host's own statements keep
 * theirs. `sum()` of a bigint is a `numeric`, and arrays have an oid of their own; both still arrive as text: cast.
 */
export const wholeNumbers: CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === types.builtins.INT8 && format !== 'binary' ? parseWholeNumber : types.getTypeParser(oid, format),
};

/** Throws a RangeError where a number could not carry the value exactly. */
export const parseWholeNumber = (text: string): number => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is not a whole number below 2^53`);
  return value;
};
