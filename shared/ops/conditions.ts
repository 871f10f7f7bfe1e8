import type { JobFilter } from './job-filter.ts';

type Conditions = Required<Pick<NonNullable<JobFilter['things']>, 'fields' | 'atLeast'>>;

/**
 * Conditions on a thing, as operators write them: `kind = mill`, `isReady = true`, `level >= 3`; a number in quotes is
 * a text. Returns the first invalid line if there is one, also one that repeats a field and sign of an earlier line.
 */
export const conditionsOf = (lines: readonly string[]): Conditions | { readonly wrong: string } => {
  const fields: Record<string, string | number | boolean> = {};
  const atLeast: Record<string, number> = {};
  for (const line of lines) {
    const [, field, sign, value] = CONDITION.exec(line.trim()) ?? [];
    if (field === undefined || value === undefined) return { wrong: line };
    const isEqual = sign === '=';
    const values: Record<string, string | number | boolean> = isEqual ? fields : atLeast;
    // An object keeps no text by this name, and the condition would be gone.
    if (field === '__proto__' || Object.hasOwn(values, field) || !(isEqual || NUMBER.test(value)))
      return { wrong: line };
    values[field] = typedOf(value);
  }
  return { fields, atLeast };
};

const CONDITION = /^([\w-]+)\s*(=|>=)\s*(\S.*)$/;
const NUMBER = /^-?\d+(\.\d+)?$/;

const typedOf = (text: string): string | number | boolean => {
  if (text === 'true' || text === 'false') return text === 'true';
  return NUMBER.test(text) ? Number(text) : text.replace(/^"(.*)"$/, '$1');
};
