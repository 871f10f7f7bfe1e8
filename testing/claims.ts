// Without fast-check, which the entry `/testing` does not need.
import { inspect, isDeepStrictEqual } from 'node:util';
import { peek } from '../shared/game-code.ts';
import { isPlain } from '../shared/json-flaw.ts';

export const hold = (isSo: boolean, what = 'this does not hold'): void => {
  if (!isSo) throw new Error(what);
};

/** Equal in all defined properties: an undefined one counts as missing. */
export const same = (actual: unknown, expected: unknown): void => {
  if (isSame(actual, expected)) return;
  throw new Error(`${written(actual)} is not ${written(expected)}`);
};

export const isSame = (one: unknown, other: unknown): boolean =>
  isDeepStrictEqual(withoutUndefined(one), withoutUndefined(other));

export const written = (value: unknown): string =>
  peek(() => inspect(partsOf(value, { left: MOST_WRITTEN }), WHOLE)) ?? 'a value that cannot be read';

const WHOLE = { depth: null, maxArrayLength: null, breakLength: Number.POSITIVE_INFINITY, customInspect: false };
/** Characters and parts of a value; a part may stand in very many places. */
const MOST_WRITTEN = 100_000;
/** `inspect` is slower than its `depth`. */
const DEEPEST = 100;

/** Plain parts of a value, as many as there is room for. */
const partsOf = (value: unknown, room: { left: number }, depth = 0): unknown => {
  room.left -= 1;
  if (room.left < 0 || depth > DEEPEST) return '...';
  if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) return value;
  if (typeof value === 'string' || !(Array.isArray(value) || isPlain(value))) {
    const text = (typeof value === 'string' ? value : inspect(value, { ...WHOLE, depth: 0 })).slice(0, room.left);
    room.left -= text.length;
    return text;
  }
  const copy: [string, unknown][] = [];
  for (const name in value) {
    if (room.left < 0) break;
    room.left -= name.length;
    copy.push([name, partsOf(value[name as keyof typeof value], room, depth + 1)]);
  }
  return Array.isArray(value) ? copy.map(([, part]) => part) : Object.fromEntries(copy);
};

const withoutUndefined = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (value instanceof Map) return new Map([...value].map(([key, entry]) => [key, withoutUndefined(entry)]));
  if (typeof value !== 'object' || value === null || value instanceof Error) return value;
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
  return Object.fromEntries(entries.map(([key, entry]) => [key, withoutUndefined(entry)]));
};

/** Without undefined fields, and with names in the order of `jsonb`: by their length in bytes, then by their bytes. */
export const stored = <Value>(value: Value): Value =>
  JSON.parse(JSON.stringify(value), (_, part) =>
    typeof part !== 'object' || part === null || Array.isArray(part)
      ? part
      : Object.fromEntries(Object.entries(part).sort(([one], [other]) => inJsonb(one, other))),
  );

const inJsonb = (one: string, other: string): number =>
  Buffer.byteLength(one) - Buffer.byteLength(other) || Buffer.compare(Buffer.from(one), Buffer.from(other));

/** The same value, deeply frozen. */
export const frozen = <Value>(value: Value): Value => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) frozen(part);
  return value;
};
