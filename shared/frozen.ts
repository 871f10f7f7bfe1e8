import { isPlain } from './json-flaw.ts';

/** The same JSON, which no code can change. A value of a class stays as it is; a part in many places is copied once. */
export const frozenCopy = <Value>(value: Value): Value => copyOf(value, new Map()) as Value;

/** Makes JSON that is read anew unchangeable where it stands. */
export const freezeDeep = (part: object): void => {
  Object.freeze(part);
  for (const name in part) {
    const value = (part as Readonly<Record<string, unknown>>)[name];
    if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) freezeDeep(value);
  }
};

const copyOf = (value: unknown, made: Map<object, object>): unknown => {
  if (typeof value !== 'object' || value === null || !(Array.isArray(value) || isPlain(value))) return value;
  const copy = made.get(value) ?? Object.freeze(partsOf(value, made));
  made.set(value, copy);
  return copy;
};

const partsOf = (value: object, made: Map<object, object>): object => {
  if (Array.isArray(value)) return value.map((part) => copyOf(part, made));
  const copy: object = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, copyOf(part, made)]));
  return Object.getPrototypeOf(value) === null ? Object.setPrototypeOf(copy, null) : copy;
};
