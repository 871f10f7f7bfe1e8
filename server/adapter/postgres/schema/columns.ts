import type { EntitySchemaColumnOptions } from 'typeorm';
import { parseWholeNumber } from '../own-types.ts';

/** A bigint that a property carries as a number, on whichever pool it was read. */
export const wholeNumber = {
  type: 'bigint',
  transformer: {
    from: (value: string | number | null) => (value === null ? null : parseWholeNumber(String(value))),
    to: (value: unknown) => value,
  },
} satisfies EntitySchemaColumnOptions;

/** A bigint that is a name: ids are text to everybody but Postgres. */
export const decimalId = {
  type: 'bigint',
  transformer: { from: String, to: (value: unknown) => value },
} satisfies EntitySchemaColumnOptions;

/** An id that is text: equal and in order byte by byte, whatever language the database has. */
export const textId = { type: 'text', collation: 'C' } satisfies EntitySchemaColumnOptions;
