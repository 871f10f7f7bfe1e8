import { type OptionFault, OptionsRefused } from './options-refused.ts';
import type { FaultAt, Schema } from './shapes.ts';
import { shown } from './shown.ts';

/**
 * Checks options, or the arguments of a call as one object, with a schema made from `shapes.ts`. Returns them
 * unchanged, so methods keep their `this`. Throws `OptionsRefused` with all faults; makes no text if there are none.
 */
export const readOptions = <Options>(schema: Schema<Options>, given: unknown, where: string): Options => {
  const found = foundBy(schema, given, where);
  if (found.length === 0) return given as Options;
  throw new OptionsRefused(
    where,
    found.map(({ at, code = 'options/invalid', what = `is ${shown(valueAt(given, at))}`, remedy }): OptionFault => {
      return { path: textOf(at).replace(/^\./, ''), code, what, remedy };
    }),
  );
};

/** Faults that were found later in the value at `path`. */
export const faultsAt = (path: string, faults: readonly FaultAt[]): readonly OptionFault[] =>
  faults.map(({ at, code = 'options/invalid', what = 'cannot be', remedy }) => {
    return { path: `${path}${textOf(at)}`, code, what, remedy };
  });

/** A getter or a proxy may throw. */
const foundBy = (schema: Schema<unknown>, given: unknown, where: string): readonly FaultAt[] => {
  try {
    return schema.find(given);
  } catch (cause) {
    const remedy = 'give plain values; `cause` says which one throws when it is read';
    throw new OptionsRefused(where, [{ path: '', code: 'options/invalid', what: 'cannot be read', remedy }], { cause });
  }
};

/** `kinds[0].timeoutMs`. */
const textOf = (path: readonly PropertyKey[]): string =>
  path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');

const valueAt = (given: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((value, part) => (value as Readonly<Record<PropertyKey, unknown>>)[part], given);
