import { z } from 'zod';
import { type OptionFault, OptionsRefused } from './options-refused.ts';
import type { FaultAt, Told } from './shapes.ts';
import { shown } from './shown.ts';

/**
 * Reads options, or the arguments of a call as one object, by a schema made of `shapes.ts`. Returns them as they were given:
 * methods keep their `this`. Throws `OptionsRefused` with all faults; nothing is allocated for a text when there is none.
 */
export const readOptions = <Options>(schema: z.ZodType<Options>, given: unknown, where: string): Options => {
  const parsed = parsedBy(schema, given, where);
  if (parsed.success) return given as Options;
  const faults = parsed.error.issues.map((issue): OptionFault => {
    const { code = 'options/invalid', what, remedy } = toldBy(issue);
    return {
      path: textOf(issue.path).replace(/^\./, ''),
      code,
      what: what ?? `is ${shown(valueAt(given, issue.path))}`,
      remedy,
    };
  });
  throw new OptionsRefused(where, faults);
};

/** Faults that are found later, in what stands at `path`. */
export const faultsAt = (path: string, faults: readonly FaultAt[]): readonly OptionFault[] =>
  faults.map(({ at, code = 'options/invalid', what = 'cannot be', remedy }) => {
    return { path: `${path}${textOf(at)}`, code, what, remedy };
  });

/** A getter may throw, and a proxy refuse to be read. */
const parsedBy = (schema: z.ZodType, given: unknown, where: string): z.core.util.SafeParseResult<unknown> => {
  try {
    return z.core.safeParse(schema, given);
  } catch (cause) {
    const remedy = 'give plain values; `cause` says which one throws when it is read';
    throw new OptionsRefused(where, [{ path: '', code: 'options/invalid', what: 'cannot be read', remedy }], { cause });
  }
};

const toldBy = (issue: z.core.$ZodIssue): Told =>
  issue.code === 'custom' && issue.params ? (issue.params as unknown as Told) : { remedy: issue.message };

/** `kinds[0].timeoutMs`. */
const textOf = (path: readonly PropertyKey[]): string =>
  path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');

const valueAt = (given: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((value, part) => (value as Readonly<Record<PropertyKey, unknown>>)[part], given);
