import { type CustomTypesConfig, types } from 'pg';

const { BOOL, INT2, INT4, INT8, OID, FLOAT4, FLOAT8, JSON: JSON_TEXT, JSONB } = types.builtins;
const TEXT_ARRAY = 1009;

/** Throws a RangeError if a number cannot represent the value exactly. */
export const parseWholeNumber = (text: string): number => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is not a whole number below 2^53`);
  return value;
};

const asText = (text: string): string => text;

/** Its types declare a function, but it is an object. */
const arrays = types.arrayParser as unknown as {
  create(text: string, entry: (text: string) => string): { parse(): unknown };
};

const parsers = new Map<number, (text: string) => unknown>([
  [BOOL, (text) => text === 't'],
  [INT2, Number],
  [INT4, Number],
  [INT8, parseWholeNumber],
  [OID, Number],
  [FLOAT4, Number],
  [FLOAT8, Number],
  [JSON_TEXT, JSON.parse],
  [JSONB, JSON.parse],
  [TEXT_ARRAY, (text) => arrays.create(text, asText).parse()],
]);

/**
 * How results of our statements are parsed. Passed with each statement, since `pg.types.setTypeParser` is the game's
 * and changes the whole process. A `bigint` becomes a checked number: ours are epoch milliseconds, counts and
 * sequences, far below 2^53. `sum()` of a bigint is a `numeric`, and other arrays have their own oid; both arrive as
 * text: cast them.
 */
export const ownTypes: CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    format === 'binary' ? types.getTypeParser(oid, format) : (parsers.get(oid) ?? asText),
};
