// What options and arguments are made of. `readOptions` reads them.

import { z } from 'zod';
import { LATEST_MS } from '../latest-ms.ts';
import type { OptionFaultCode } from './options-refused.ts';
import { nearestOf, shown } from './shown.ts';

/** What is wrong with a value. `what` is left out where the value says it: `is 1.5`. */
export interface Told {
  readonly what?: string;
  readonly remedy: string;
  readonly code?: OptionFaultCode;
}

/** The longest delay of a timer of Node: beyond it the time-out ends at once. */
export const LONGEST_DELAY_MS = 2 ** 31 - 1;

/** A fault in an object or list: `at` is its place there. */
export interface FaultAt extends Told {
  readonly at: readonly PropertyKey[];
}

type Find = (given: unknown) => readonly FaultAt[];

/** What all shapes are made of: `find` returns what is wrong with what was given. */
export const judged = <T>(find: Find): z.ZodType<T> => z.any().check((payload) => note(payload, find));

const note = ({ value: given, issues }: z.core.ParsePayload, find: Find): void => {
  for (const { at, ...params } of find(given)) {
    issues.push({ code: 'custom', path: [...at], input: given, message: params.remedy, params });
  }
};

/** What `schema` finds, and what these do. The faults of one hide none of the others. */
const also = <T>(schema: z.ZodType, ...finds: readonly Find[]): z.ZodType<T> =>
  z.any().check((payload) => {
    schema._zod.run({ value: payload.value, issues: payload.issues }, AT_ONCE);
    for (const find of finds) note(payload, find);
  });

const AT_ONCE = { async: false } as const;

/** A value for which `isRight` holds. `told` says what is right; as a function, by the value that was given. */
export const value = <T>(
  isRight: (given: unknown) => boolean,
  told: string | Told | ((given: unknown) => Told),
): z.ZodType<T> =>
  judged((given) => {
    if (isRight(given)) return NONE;
    if (typeof told === 'string') return [{ at: [], remedy: told }];
    return [{ at: [], ...(typeof told === 'function' ? told(given) : told) }];
  });

const NONE: readonly FaultAt[] = [];

export interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly code?: OptionFaultCode;
}

/** A whole number from `min` to `max`; `unit` is what it counts. */
export const whole = (bounds: Bounds, unit = 'a whole number'): z.ZodType<number> =>
  value((given) => Number.isInteger(given) && (given as number) >= bounds.min && (given as number) <= bounds.max, {
    ...(bounds.code && { code: bounds.code }),
    remedy: `give ${unit} ${between(bounds)}`,
  });

/** A duration. */
export const wholeMs = (bounds: Bounds): z.ZodType<number> => whole(bounds, 'whole milliseconds');

/** An instant before the clock's end, or a distance of two. */
export const instantMs = (code?: OptionFaultCode): z.ZodType<number> =>
  value(
    (given) => Number.isInteger(given) && Math.abs(given as number) < LATEST_MS - 1,
    (given) => ({ ...(code && { code }), ...wrongInstant(given) }),
  );

export const flag = value<boolean>((given) => typeof given === 'boolean', 'give true or false');

export const oneOf = <const Known extends string>(known: readonly Known[], code?: OptionFaultCode) =>
  value<Known>((given) => known.some((one) => one === given), {
    ...(code && { code }),
    remedy: `give ${known.map((one) => `"${one}"`).join(' or ')}`,
  });

/** Text of a bounded length without NUL, which neither Postgres nor a key can hold. */
export const textOf = (max: number, code?: OptionFaultCode) =>
  value<string>(
    (given) => typeof given === 'string' && given.length > 0 && given.length <= max && !given.includes('\0'),
    { ...(code && { code }), remedy: `give text of 1 to ${max} characters without NUL` },
  );

/** A function of the game's own. */
export const callable = value<(...given: never[]) => unknown>(
  (given) => typeof given === 'function',
  'give a function',
);

/** Anything at all. */
export const anything: z.ZodType<unknown> = z.any();

/** An object that is asked for these methods; what else it has is its own. */
export const having = <T extends object>(...methods: readonly (keyof T & string)[]) =>
  value<T>(
    (given) => isObject(given) && methods.every((method) => typeof given[method] === 'function'),
    `give an object with ${methods.map((method) => `${method}()`).join(', ')}`,
  );

export const list = <Entry extends z.ZodType>(entry: Entry): z.ZodArray<Entry> =>
  z.array(entry, { error: 'give a list' });

/** A list of things with names: each name is used once. */
export const listOfNamed = <Entry>(
  entry: z.ZodType<Entry>,
  name: keyof Entry & string,
): z.ZodType<readonly Entry[]> => {
  const schema = also<readonly Entry[]>(list(entry), (given) => {
    const names = Array.isArray(given) ? given.map((one: Partial<Entry> | null | undefined) => one?.[name]) : [];
    return names.flatMap((one, at) => {
      if (one === undefined || names.indexOf(one) === at) return [];
      return [{ at: [at, name], what: `is ${shown(one)}, as that of another one`, remedy: 'use each name once' }];
    });
  });
  return Object.assign(schema, { element: entry });
};

type Keys<Options> = Options extends unknown ? keyof Options & string : never;
type Given<Options> = { readonly [Key in Keys<Options>]?: unknown };
export type Shape<Options> = { readonly [Key in Keys<Options>]-?: z.ZodType };

/** What reads an object, and the fields that it knows. */
export type Fields<Options> = z.ZodType<Options> & { readonly shape: Shape<Options> };

/**
 * An object with these fields: one for each that the type `Options` has. Another field is a fault unless it stands in `beside`,
 * or the object is of a class: what that keeps is its own. `between` finds what is wrong between fields.
 */
export const fields = <Options extends object>(
  shape: Shape<Options>,
  between: (given: Given<Options>) => readonly FaultAt[] = () => NONE,
  beside: object = {},
): Fields<Options> => {
  const known = Object.keys(shape);
  const object = z.object(shape, { error: `give an object with ${known.join(', ')}` });
  const schema = also<Options>(
    object,
    (given) => (isPlain(given) ? unknownIn(given, { shape, beside }) : NONE),
    (given) => (isObject(given) ? between(given as Given<Options>) : NONE),
  );
  return Object.assign(schema, { shape });
};

const unknownIn = (
  given: object,
  { shape, beside }: { readonly shape: object; readonly beside: object },
): readonly FaultAt[] => {
  let faults = NONE;
  for (const name in given) {
    if (Object.hasOwn(shape, name) || Object.hasOwn(beside, name) || !Object.hasOwn(given, name)) continue;
    const known = Object.keys(shape);
    const near = nearestOf(name, known);
    const remedy = near === undefined ? `known are ${known.join(', ')}` : `did you mean \`${near}\`?`;
    faults = [...faults, { at: [name], what: 'is no field that is known', remedy }];
  }
  return faults;
};

const isObject = (given: unknown): given is Readonly<Record<string, unknown>> =>
  typeof given === 'object' && given !== null;

/** Written as `{ ... }`, also in another realm, or read from JSON. */
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
