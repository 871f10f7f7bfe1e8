import { isText } from './text.ts';

/** What is wrong with a value, and where in it. */
export interface Flaw {
  /** Names and numbers with dots between them; empty: the value itself. */
  readonly path: string;
  readonly message: string;
}

/** Postgres stops at some thousand; what is circular has no end. */
const DEEPEST = 100;

/**
 * Why a value would not come back from the database as it is; undefined: it would. Fields that are undefined are as good as
 * missing. It makes nothing where all is well: it looks at each event and each thing that is written.
 */
export const jsonFlaw = (value: unknown, depth = 0): Flaw | undefined => {
  switch (typeof value) {
    case 'string':
      return isText(value) ? undefined : flaw('has characters that are not text');
    case 'number':
      return Number.isFinite(value) ? undefined : flaw(`is ${value}`);
    case 'boolean':
      return undefined;
    case 'object':
      return value === null ? undefined : partFlaw(value, depth + 1);
    default:
      return flaw(value === undefined ? 'is undefined' : `is a ${typeof value}`);
  }
};

const flaw = (message: string): Flaw => ({ path: '', message });

const partFlaw = (part: object, depth: number): Flaw | undefined => {
  if (depth > DEEPEST) return flaw(`lies in more than ${DEEPEST} objects, or in itself`);
  if (Array.isArray(part)) {
    for (let at = 0; at < part.length; at += 1) {
      const found = jsonFlaw(part[at], depth);
      if (found) return below(`${at}`, found);
    }
    return undefined;
  }
  if (!isPlain(part)) return flaw('is neither plain object nor array: no Date, no class');
  for (const name in part) {
    if (!isText(name)) return flaw('has a name that is not text');
    const field = (part as Readonly<Record<string, unknown>>)[name];
    const found = field === undefined ? undefined : jsonFlaw(field, depth);
    if (found) return below(name, found);
  }
  return undefined;
};

const below = (name: string, { path, message }: Flaw): Flaw => ({
  path: path === '' ? name : `${name}.${path}`,
  message,
});

/** Of whatever realm. What a class has besides its fields would be lost. */
const isPlain = (value: object): boolean => {
  const prototype: object | null = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
};

export const flawText = ({ path, message }: Flaw): string => (path === '' ? message : `${path} ${message}`);
