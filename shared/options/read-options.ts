import { type OptionFault, OptionsRefused } from './options-refused.ts';
import type { FaultAt, Found, Schema } from './schema.ts';

/**
 * Reads options, or the arguments of a call as one object, with a schema made from `shapes.ts`. Returns a copy of
 * their known fields, each read once: what was checked is what is used. Functions and live objects stay the same ones.
 * Throws `OptionsRefused` with all faults, at most 100; makes no text if there are none.
 */
export const readOptions = <Options, Given>(
  schema: Schema<Options>,
  given: Given,
  where: string,
): unknown extends Given ? Options : Given => {
  const faults: Found[] = [];
  const read = readBy(schema, given, { faults, where });
  if (faults.length === 0) return read as unknown extends Given ? Options : Given;
  throw new OptionsRefused(
    where,
    faults.map(({ at, code = 'options/invalid', what, remedy }): OptionFault => {
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
const readBy = <Options>(
  schema: Schema<Options>,
  given: unknown,
  { faults, where }: { readonly faults: Found[]; readonly where: string },
): Options => {
  try {
    return schema.read(given, faults);
  } catch (cause) {
    const remedy = 'give plain values; `cause` says which one throws when it is read';
    throw new OptionsRefused(where, [{ path: '', code: 'options/invalid', what: 'cannot be read', remedy }], { cause });
  }
};

const LONGEST_NAME = 64;

/** `kinds[0].timeoutMs`. */
const textOf = (path: readonly PropertyKey[]): string =>
  path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${short(String(part))}`)).join('');

const short = (name: string): string => (name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}...` : name);
