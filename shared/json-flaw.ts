import { isText } from './text.ts';

export interface Flaw {
  /** Names and numbers with dots between; empty: the value itself. */
  readonly path: string;
  readonly message: string;
}

/** Postgres fails at some thousand levels; a circular value has no end. */
const DEEPEST = 100;
/** More would be longer than anything that is stored: each has a byte or more. A part may stand in many places. */
const MOST_VALUES = 1_000_000;
/** Of the value that is checked now. */
let visited = 0;

/** The sixth part of a value's longest JSON: each character may be escaped as `\\u0001`. */
export interface Kept {
  sixths: number;
}

/** `-1.2345678901234567e-300,` */
const SIXTHS_OF_NUMBER = 5;

/**
 * The reason why a value would change in the database; undefined: it would not. Undefined fields count as missing. It
 * allocates nothing for a good value, because it checks each written event and thing. With `kept` it freezes the value
 * deeply, and adds up its length.
 */
export const jsonFlaw = (value: unknown, depth = 0, kept?: Kept): Flaw | undefined => {
  visited = depth === 0 ? 1 : visited + 1;
  if (visited > MOST_VALUES) return flaw(`has more than ${MOST_VALUES} values`);
  switch (typeof value) {
    case 'string':
      if (kept) kept.sixths += value.length + 1;
      return isText(value) ? undefined : flaw('has characters that are not text');
    case 'number':
      if (kept) kept.sixths += SIXTHS_OF_NUMBER;
      return Number.isFinite(value) ? undefined : flaw(`is ${value}`);
    case 'boolean':
      if (kept) kept.sixths += 1;
      return undefined;
    case 'object':
      return value === null ? undefined : partFlaw(value, depth + 1, kept);
    default:
      return flaw(value === undefined ? 'is undefined' : `is a ${typeof value}`);
  }
};

const flaw = (message: string): Flaw => ({ path: '', message });

const partFlaw = (part: object, depth: number, kept: Kept | undefined): Flaw | undefined => {
  if (depth > DEEPEST) return flaw(`lies in more than ${DEEPEST} objects, or in itself`);
  if (kept) {
    Object.freeze(part);
    kept.sixths += 1;
  }
  if (Array.isArray(part)) {
    for (let at = 0; at < part.length; at += 1) {
      const found = jsonFlaw(part[at], depth, kept);
      if (found) return below(`${at}`, found);
    }
    return undefined;
  }
  if (!isPlain(part)) return flaw('is neither plain object nor array: no Date, no class');
  for (const name in part) {
    if (!isName(name)) return flaw('has a name that is not text');
    if (kept) kept.sixths += name.length + 1;
    const field = (part as Readonly<Record<string, unknown>>)[name];
    const found = field === undefined ? undefined : jsonFlaw(field, depth, kept);
    if (found) return below(name, found);
  }
  return undefined;
};

/** Names of fields repeat: these are text. */
const names = new Set<string>();
const MOST_NAMES = 1000;

const isName = (name: string): boolean => {
  if (names.has(name)) return true;
  if (!isText(name)) return false;
  if (names.size < MOST_NAMES) names.add(name);
  return true;
};

const below = (name: string, { path, message }: Flaw): Flaw => ({
  path: path === '' ? name : `${name}.${path}`,
  message,
});

/** Works for objects of any realm. A class may have more than fields, which would be lost. */
export const isPlain = (value: object): boolean => {
  const prototype: object | null = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
};

export const flawText = ({ path, message }: Flaw): string => (path === '' ? message : `${path} ${message}`);
