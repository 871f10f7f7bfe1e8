import { isPlain } from '../json-flaw.ts';
import { isText } from '../text.ts';
import { add, reading, type Schema } from './schema.ts';

/** Postgres fails at some thousand levels; a circular value has no end. */
const DEEPEST = 100;
const MOST_BYTES = 1_000_000;
/** A part has at most so many bytes as JSON for each unit of `size`: a number of one unit may have 25. */
const MOST_GROWTH = 25;

/** Anything. Its lists and plain objects are copied; another object stays the same one. */
export const data: Schema<unknown> = reading((given) => copyOf(given, { at: [], size: 0, isStrict: false }));

/** What JSON can represent, at most 1 MB of it, as a copy. A value that JSON would lose or change is a fault. */
export const jsonData: Schema<unknown> = reading((given, faults) => {
  const copying: Copying = { at: [], size: 0, isStrict: true };
  try {
    const copy = copyOf(given, copying);
    const bytes = copying.size * MOST_GROWTH > MOST_BYTES ? Buffer.byteLength(JSON.stringify(copy)) : 0;
    if (bytes > MOST_BYTES) throw new Lost(`has ${bytes} bytes as JSON`);
    return copy;
  } catch (thrown) {
    const what = thrown instanceof Lost ? thrown.what : `cannot be JSON (${messageOf(thrown)})`;
    add(faults, { at: copying.at, what, remedy: `give what JSON can say, at most ${MOST_BYTES} bytes of it` }, given);
    return undefined;
  }
});

const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? String(thrown.message.split('\n')[0]) : 'its toJSON throws';

interface Copying {
  /** Where the copy is. */
  readonly at: PropertyKey[];
  /** No more than the characters as JSON. */
  size: number;
  /** Throws `Lost` for a value that JSON would lose or change. Else such a value stays. */
  readonly isStrict: boolean;
}

class Lost {
  readonly what: string;

  constructor(what: string) {
    this.what = what;
  }
}

const odd = (given: unknown, { isStrict }: Copying, what: string): unknown => {
  if (isStrict) throw new Lost(what);
  return given;
};

const copyOf = (given: unknown, copying: Copying): unknown => {
  copying.size += 1;
  switch (typeof given) {
    case 'string':
      copying.size += given.length;
      return isText(given) ? given : odd(given, copying, 'has U+0000 or half a surrogate pair');
    case 'number':
      return Number.isFinite(given) ? given : odd(given, copying, `is ${given}, which JSON does not have`);
    case 'boolean':
      return given;
    case 'object':
      return given === null ? null : partOf(given, copying);
    case 'bigint': {
      // Some games give all of them a `toJSON`.
      const text = jsonOf(given, copying);
      return typeof text === 'string'
        ? copyOf(text, copying)
        : odd(given, copying, 'is a BigInt, which JSON does not have');
    }
    default:
      return odd(given, copying, `is ${given === undefined ? '' : 'a '}${typeof given}, which JSON does not have`);
  }
};

const partOf = (given: object, copying: Copying): unknown => {
  const { at, isStrict } = copying;
  if (at.length === DEEPEST) {
    at.length = isStrict ? 0 : DEEPEST;
    return odd(given, copying, `has more than ${DEEPEST} objects in each other, or one in itself`);
  }
  const part = jsonOf(given, copying);
  // As an invalid date.
  if (part === null) return odd(given, copying, 'is null as JSON');
  if (typeof part !== 'object') return copyOf(part, copying);
  if (Array.isArray(part)) return entriesOf(part, copying);
  return isPlain(part) || (isStrict && isRecord(part))
    ? fieldsOf(part, copying)
    : odd(part, copying, 'is an object of which JSON keeps nothing');
};

const jsonOf = (given: object | bigint, { at, isStrict }: Copying): unknown => {
  const { toJSON } = given as { readonly toJSON?: unknown };
  return isStrict && typeof toJSON === 'function' ? toJSON.call(given, String(at.at(-1) ?? '')) : given;
};

/** JSON keeps the fields of an object of a class, but not what a `Map` or an `Error` has. */
const isRecord = (part: object): boolean =>
  Object.prototype.toString.call(part) === '[object Object]' && Object.keys(part).length > 0;

const entriesOf = (given: readonly unknown[], copying: Copying): unknown => {
  const copy: unknown[] = [];
  for (let at = 0, { length } = given; at < length; at += 1) {
    if (copying.size > MOST_BYTES) return odd(given, copying, TOO_LARGE);
    copying.at.push(at);
    copy.push(copyOf(given[at], copying));
    copying.at.pop();
  }
  return copy;
};

const fieldsOf = (given: object, copying: Copying): unknown => {
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(given)) {
    if (copying.size > MOST_BYTES) return odd(given, copying, TOO_LARGE);
    const field = (given as Readonly<Record<string, unknown>>)[name];
    if (field === undefined) continue;
    copying.at.push(name);
    copyOf(name, copying);
    const value = copyOf(field, copying);
    copying.at.pop();
    if (name === '__proto__') Object.defineProperty(copy, name, { value, enumerable: true });
    else copy[name] = value;
  }
  return copy;
};

const TOO_LARGE = `has more than ${MOST_BYTES} bytes as JSON`;
