import type { EntitySchemaColumnOptions } from 'typeorm';
import { parseWholeNumber } from '../own-types.ts';

/** A bigint as a number, on any pool. */
export const bigintNumber = {
  type: 'bigint',
  transformer: {
    from: (value: string | number | null) => (value === null ? null : parseWholeNumber(String(value))),
    to: (value: unknown) => value,
  },
} satisfies EntitySchemaColumnOptions;

/** A bigint that is an id: outside of Postgres ids are text. */
export const decimalId = {
  type: 'bigint',
  transformer: { from: String, to: (value: unknown) => value },
} satisfies EntitySchemaColumnOptions;

/** A text id, compared byte by byte, whatever language the database has. */
export const textId = { type: 'text', collation: 'C' } satisfies EntitySchemaColumnOptions;
