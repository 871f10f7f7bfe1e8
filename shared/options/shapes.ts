// Schemas of options and arguments. `readOptions` uses them.

import { LATEST_MS } from '../latest-ms.ts';
import type { OptionFaultCode } from './options-refused.ts';
import { nearestOf, shown } from './shown.ts';

/** The fault of a value. `what` is left out if the value says it: `is 1.5`. */
export interface Told {
  readonly what?: string;
  readonly remedy: string;
  readonly code?: OptionFaultCode | undefined;
}

/** Node's longest timer delay: a longer one would end at once. */
export const LONGEST_DELAY_MS = 2 ** 31 - 1;

/** A fault inside an object or list, at the place `at`. */
export interface FaultAt extends Told {
  readonly at: readonly PropertyKey[];
}

/** Finds all faults of a value. */
type Find = (given: unknown) => readonly FaultAt[];

/** Checks a value of the type `T`. */
export interface Schema<T> {
  readonly find: Find;
  /** The same schema, but undefined is valid too. */
  optional(): Schema<T | undefined>;
  /** Never set: it only carries the type. */
  readonly of?: T;
}

/** Makes a schema. `parts` are the schemas inside. */
export const judged = <T, Parts extends object = object>(find: Find, parts?: Parts): Schema<T> & Parts => ({
  ...(parts as Parts),
  find,
  optional: () => judged((given) => (given === undefined ? NONE : find(given)), parts),
});

/** Shared, because valid values must cost little: each call of the timers is checked. */
const NONE: readonly FaultAt[] = [];

/** Adds the faults of a part, with its place. */
const note = (faults: FaultAt[], found: readonly FaultAt[], place: readonly PropertyKey[]): void => {
  for (const fault of found) faults.push({ ...fault, at: [...place, ...fault.at] });
};

const HERE: readonly PropertyKey[] = [];

/** A value that passes `isRight`. `told` says what would be right, perhaps depending on the given value. */
export const value = <T>(
  isRight: (given: unknown) => boolean,
  told: string | Told | ((given: unknown) => Told),
): Schema<T> =>
  judged((given) => {
    if (isRight(given)) return NONE;
    if (typeof told === 'string') return [{ at: [], remedy: told }];
    return [{ at: [], ...(typeof told === 'function' ? told(given) : told) }];
  });

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

/** Text of bounded length without NUL, which Postgres and keys cannot store. */
export const textOf = (max: number, code?: OptionFaultCode) =>
  value<string>(
    (given) => typeof given === 'string' && given.length > 0 && given.length <= max && !given.includes('\0'),
    { code, remedy: `give text of 1 to ${max} characters without NUL` },
  );

/** Text that matches a pattern. */
export const matching = (form: RegExp, told: string | Told) =>
  value<string>((given) => typeof given === 'string' && form.test(given), told);

/** An object; other code checks its fields. */
export const objectOf = (remedy: string) => value<object>(isObject, remedy);

/** A function of the game. */
export const callable = value<(...given: never[]) => unknown>(
  (given) => typeof given === 'function',
  'give a function',
);

/** Anything at all. */
export const anything = judged<unknown>(() => NONE);

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

export const list = <Entry>(element: Schema<Entry>): List<Entry> => {
  const find = (given: unknown): readonly FaultAt[] => {
    if (!Array.isArray(given)) return [{ at: [], remedy: 'give a list' }];
    const faults: FaultAt[] = [];
    for (let at = 0; at < given.length; at += 1) note(faults, element.find(given[at]), [at]);
    return faults;
  };
  const max: List<Entry>['max'] = (most, remedy) =>
    judged((given) => (Array.isArray(given) && given.length > most ? [{ at: [], remedy }] : find(given)), { element });
  return judged(find, { element, max });
};

/** A list of entries with unique names. */
export const listOfNamed = <Entry>(element: Schema<Entry>, name: keyof Entry & string): Schema<readonly Entry[]> =>
  judged(
    (given) => {
      const names = Array.isArray(given) ? given.map((one: Partial<Entry> | null | undefined) => one?.[name]) : [];
      const twice = names.flatMap((one, at) => {
        if (one === undefined || names.indexOf(one) === at) return [];
        return [{ at: [at, name], what: `is ${shown(one)}, as that of another one`, remedy: 'use each name once' }];
      });
      return [...list(element).find(given), ...twice];
    },
    { element },
  );

type Keys<Options> = Options extends unknown ? keyof Options & string : never;
type Given<Options> = { readonly [Key in Keys<Options>]?: unknown };
export type Shape<Options> = { readonly [Key in Keys<Options>]-?: Schema<unknown> };

/** A schema of an object, with its known fields. */
export type Fields<Options> = Schema<Options> & { readonly shape: Shape<Options> };

/**
 * An object with these fields: one for each of the type `Options`. Another field is a fault, unless it is in `beside`
 * or the object has a class, which may have its own fields. `between` finds faults between fields.
 */
export const fields = <Options extends object>(
  shape: Shape<Options>,
  between: (given: Given<Options>) => readonly FaultAt[] = () => NONE,
  beside: object = {},
): Fields<Options> => {
  const names = Object.keys(shape);
  const readers = Object.entries<Schema<unknown>>(shape).map(([name, { find }]) => ({ name, at: [name], find }));
  const known = new Set([...names, ...Object.keys(beside)]);
  const remedy = `give an object with ${names.join(', ')}`;
  const find = (given: unknown): readonly FaultAt[] => {
    if (!isObject(given)) return [{ at: [], remedy }];
    const faults: FaultAt[] = [];
    if (Array.isArray(given)) faults.push({ at: [], remedy });
    else for (const { name, at, find } of readers) note(faults, find(given[name]), at);
    if (isPlain(given)) note(faults, unknownIn(given, known, names), HERE);
    note(faults, between(given as Given<Options>), HERE);
    return faults;
  };
  return judged(find, { shape });
};

/** For an object that may have only one of two fields: with both, this is the fault of the first. */
export const notBoth =
  <First extends string, Second extends string>(first: First, second: Second, told: Told) =>
  (given: { readonly [Key in First | Second]?: unknown }): readonly FaultAt[] =>
    given[first] === undefined || given[second] === undefined
      ? NONE
      : [{ at: [first], what: `stands beside \`${second}\``, ...told }];

const unknownIn = (given: object, known: ReadonlySet<string>, names: readonly string[]): readonly FaultAt[] => {
  let faults = NONE;
  for (const name in given) {
    if (known.has(name) || !Object.hasOwn(given, name)) continue;
    const near = nearestOf(name, names);
    const remedy = near === undefined ? `known are ${names.join(', ')}` : `did you mean \`${near}\`?`;
    faults = [...faults, { at: [name], what: 'is no field that is known', remedy }];
  }
  return faults;
};

const isObject = (given: unknown): given is Readonly<Record<string, unknown>> =>
  typeof given === 'object' && given !== null;

/** A plain object `{ ... }`, also from another realm or from JSON. */
const isPlain = (given: unknown): given is object => {
  if (!isObject(given) || Array.isArray(given)) return false;
  const prototype: unknown = Object.getPrototypeOf(given);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
};

const between = ({ min, max }: Bounds): string =>
  max === Number.MAX_SAFE_INTEGER ? `from ${min} on` : `from ${min} to ${max}`;

const wrongInstant = (given: unknown): Told => {
  const whole = 'give whole milliseconds that end before the year 2109';
  if (given instanceof Date) return { remedy: 'give `date.getTime()`' };
  if (!Number.isInteger(given)) return { remedy: whole };
  return { what: `is ${String(given)}, too ${(given as number) > 0 ? 'late' : 'early'}`, remedy: whole };
};
