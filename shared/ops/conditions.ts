import type { JobFilter } from './job-filter.ts';

type Conditions = Required<Pick<NonNullable<JobFilter['things']>, 'fields' | 'atLeast'>>;

/**
 * Conditions on a thing, as operators write them: `kind = mill`, `isReady = true`, `level >= 3`; a number in quotes is
 * a text. Returns the first invalid line if there is one.
 */
export const conditionsOf = (lines: readonly string[]): Conditions | { readonly wrong: string } => {
  const fields: Record<string, string | number | boolean> = {};
  const atLeast: Record<string, number> = {};
  for (const line of lines) {
    const [, field, sign, value] = CONDITION.exec(line.trim()) ?? [];
    if (field === undefined || value === undefined) return { wrong: line };
    if (sign === '=') fields[field] = typedOf(value);
    else if (NUMBER.test(value)) atLeast[field] = Number(value);
    else return { wrong: line };
  }
  return { fields, atLeast };
};

const CONDITION = /^([\w-]+)\s*(=|>=)\s*(\S.*)$/;
const NUMBER = /^-?\d+(\.\d+)?$/;

const typedOf = (text: string): string | number | boolean => {
  if (text === 'true' || text === 'false') return text === 'true';
  return NUMBER.test(text) ? Number(text) : text.replace(/^"(.*)"$/, '$1');
};
