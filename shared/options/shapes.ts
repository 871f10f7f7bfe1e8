// Schemas of options and arguments. `readOptions` uses them.

import { isPlain } from '../json-flaw.ts';
import { LATEST_MS } from '../latest-ms.ts';
import { isText } from '../text.ts';
import { MOST_FAULTS, type OptionFaultCode } from './options-refused.ts';
import { add, type FaultAt, type Found, placeFaults, reading, type Schema, type ValueFault } from './schema.ts';
import { nearestOf, shown } from './shown.ts';

/** Node's longest timer delay: a longer one would end at once. */
export const LONGEST_DELAY_MS = 2 ** 31 - 1;

const NONE: readonly FaultAt[] = [];

/** A value that passes `isRight`. `told` says what would be right, perhaps depending on the given value. */
export const value = <T>(
  isRight: (given: unknown) => boolean,
  told: string | ValueFault | ((given: unknown) => ValueFault),
): Schema<T> =>
  reading((given, faults) => {
    if (!isRight(given)) add(faults, { at: [], ...toldOf(told, given) }, given);
    return given as T;
  });

const toldOf = (told: string | ValueFault | ((given: unknown) => ValueFault), given: unknown): ValueFault => {
  if (typeof told === 'string') return { remedy: told };
  return typeof told === 'function' ? told(given) : told;
};

export interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly code?: OptionFaultCode;
}

/** A whole number from `min` to `max`; `unit` names what it counts. */
export const whole = (bounds: Bounds, unit = 'a whole number'): Schema<number> =>
  value((given) => Number.isInteger(given) && (given as number) >= bounds.min && (given as number) <= bounds.max, {
    code: bounds.code,
    remedy: `give ${unit} ${between(bounds)}`,
  });

/** A duration. */
export const wholeMs = (bounds: Bounds): Schema<number> => whole(bounds, 'whole milliseconds');

/** An instant before the clock's end, or a difference of two. */
export const instantMs = (code?: OptionFaultCode): Schema<number> =>
  value(
    (given) => Number.isInteger(given) && Math.abs(given as number) < LATEST_MS - 1,
    (given) => ({ code, ...wrongInstant(given) }),
  );

export const flag = value<boolean>((given) => typeof given === 'boolean', 'give true or false');

export const oneOf = <const Known extends string>(known: readonly Known[], code?: OptionFaultCode) =>
  value<Known>((given) => known.some((one) => one === given), {
    code,
    remedy: `give ${known.map((one) => `"${one}"`).join(' or ')}`,
  });

/** Text of bounded length that Postgres and keys can store: see `isText`. */
export const textUpTo = (max: number, code?: OptionFaultCode) =>
  value<string>((given) => isText(given) && given.length > 0 && given.length <= max, {
    code,
    remedy: `give text of 1 to ${max} characters, without NUL and without half a surrogate pair`,
  });

export const matching = (form: RegExp, told: string | ValueFault) =>
  value<string>((given) => isText(given) && form.test(given), told);

/** An object; other code checks its fields. */
export const objectOf = (remedy: string) => value<object>(isObject, remedy);

/** A function of the game. */
export const callable = value<(...given: never[]) => unknown>(
  (given) => typeof given === 'function',
  'give a function',
);

export const anything = reading<unknown>((given) => given);

/** An object, or a function such as an Express app, with these methods; its other fields are not checked. */
export const having = <T extends object>(...methods: readonly (keyof T & string)[]) =>
  value<T>(
    (given) => methods.every((method) => typeof (given as Partial<T> | null | undefined)?.[method] === 'function'),
    `give an object with ${methods.map((method) => `${method}()`).join(', ')}`,
  );

interface List<Entry> extends Schema<readonly Entry[]> {
  readonly element: Schema<Entry>;
  max(most: number, remedy: string): Schema<readonly Entry[]>;
}

/** The most entries of a list in one call. */
const MOST_ENTRIES = 1_000_000;

/** A list without holes. */
export const list = <Entry>(element: Schema<Entry>): List<Entry> => {
  const upTo = (most: number, remedy: string): Schema<readonly Entry[]>['read'] => {
    return (given, faults) => {
      const entries: Entry[] = [];
      const { length } = Array.isArray(given) ? given : [];
      if (!Array.isArray(given)) add(faults, { at: [], remedy: 'give a list' }, given);
      else if (length > most) add(faults, { at: [], remedy }, given);
      else {
        for (let at = 0; at < length && faults.length <= MOST_FAULTS; at += 1) {
          const before = faults.length;
          entries.push(element.read(given[at], faults));
          if (faults.length > before) placeFaults(faults, before, at);
        }
      }
      return entries;
    };
  };
  return reading(upTo(MOST_ENTRIES, `give at most ${MOST_ENTRIES} entries`), {
    element,
    max: (most: number, remedy: string) => reading(upTo(most, remedy), { element }),
  });
};

export const listOfNamed = <Entry>(element: Schema<Entry>, name: keyof Entry & string): Schema<readonly Entry[]> => {
  const entries = list(element);
  return reading(
    (given, faults) => {
      const read = entries.read(given, faults);
      const names = new Set<unknown>();
      for (const [at, one] of read.entries()) {
        const own: unknown = (one as Partial<Entry> | null | undefined)?.[name];
        const what = `is ${shown(own)}, as that of another one`;
        if (own !== undefined && names.has(own))
          add(faults, { at: [at, name], what, remedy: 'use each name once' }, read);
        names.add(own);
      }
      return read;
    },
    { element },
  );
};

type Keys<Options> = Options extends unknown ? keyof Options & string : never;
type Given<Options> = { readonly [Key in Keys<Options>]?: unknown };
export type Shape<Options> = { readonly [Key in Keys<Options>]-?: Schema<unknown> };

/** A schema of an object, with its known fields. */
export type Fields<Options> = Schema<Options> & { readonly shape: Shape<Options> };

/**
 * An object with these fields: one for each of the type `Options`. Reading copies them, also inherited ones; an
 * undefined one is left out. Another field is a fault, unless it is in `beside` or the object has a class, which may
 * have its own fields. `between` finds faults between fields.
 */
export const fields = <Options extends object>(
  shape: Shape<Options>,
  between: (given: Given<Options>) => readonly FaultAt[] = () => NONE,
  beside: object = {},
): Fields<Options> => {
  const names = Object.keys(shape);
  const besides = Object.keys(beside).filter((name) => !names.includes(name));
  const readers = Object.entries<Schema<unknown>>(shape).map(([name, { read }]) => ({ name, read }));
  const known: Known = { names, all: new Set([...names, ...besides]) };
  const remedy = `give an object with ${names.join(', ')}`;
  const read = (given: unknown, faults: Found[]): Options => {
    if (!isObject(given) || Array.isArray(given)) {
      add(faults, { at: [], remedy }, given);
      return given as Options;
    }
    const isOfClass = !isPlain(given);
    const once = isOfClass ? given : { ...given };
    const copy: Record<string, unknown> = isOfClass ? {} : once;
    let others = isOfClass ? 0 : countOf(copy);
    for (const { name, read } of readers) {
      const before = faults.length;
      const own = once[name];
      const field = read(own, faults);
      if (faults.length > before) placeFaults(faults, before, name);
      if (field === undefined) continue;
      others -= 1;
      if (isOfClass) copy[name] = boundTo(given, field);
      else if (field !== own) copy[name] = field;
    }
    if (isOfClass) for (const name of besides) copy[name] = boundTo(given, once[name]);
    if (others > 0 || isOfClass) checkOthers(copy, known, faults);
    for (const fault of between(copy as Given<Options>)) add(faults, fault, copy);
    return copy as Options;
  };
  return reading(read, { shape });
};

/** A method of a class uses the fields of its object. */
const boundTo = (given: object, field: unknown): unknown => (typeof field === 'function' ? field.bind(given) : field);

/** For an object that may have only one of two fields: with both, this is the fault of the first. */
export const notBoth =
  <First extends string, Second extends string>(first: First, second: Second, told: ValueFault) =>
  (given: { readonly [Key in First | Second]?: unknown }): readonly FaultAt[] =>
    given[first] === undefined || given[second] === undefined
      ? NONE
      : [{ at: [first], what: `stands beside \`${second}\``, ...told }];

interface Known {
  readonly names: readonly string[];
  /** With those beside. */
  readonly all: ReadonlySet<string>;
}

const countOf = (given: object): number => {
  let count = 0;
  for (const _ in given) count += 1;
  return count;
};

/** Leaves undefined fields out, and finds unknown ones. */
const checkOthers = (copy: Record<string, unknown>, { names, all }: Known, faults: Found[]): void => {
  for (const name in copy) {
    if (!all.has(name)) {
      if (faults.length > MOST_FAULTS) return;
      const near = nearestOf(name, names);
      const remedy = near === undefined ? `known are ${names.join(', ')}` : `did you mean \`${near}\`?`;
      add(faults, { at: [name], what: 'is no field that is known', remedy }, copy);
    } else if (copy[name] === undefined) delete copy[name];
  }
};

const isObject = (given: unknown): given is Readonly<Record<string, unknown>> =>
  typeof given === 'object' && given !== null;

const between = ({ min, max }: Bounds): string =>
  max === Number.MAX_SAFE_INTEGER ? `from ${min} on` : `from ${min} to ${max}`;

const wrongInstant = (given: unknown): ValueFault => {
  const whole = 'give whole milliseconds that end before the year 2109';
  if (given instanceof Date) return { remedy: 'give `date.getTime()`' };
  if (!Number.isInteger(given)) return { remedy: whole };
  return { what: `is ${String(given)}, too ${(given as number) > 0 ? 'late' : 'early'}`, remedy: whole };
};
