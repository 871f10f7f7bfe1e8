import { isPlain } from './json-flaw.ts';

/** The same JSON, which no code can change. A value of a class stays as it is. */
export const frozenCopy = <Value>(value: Value): Value => copyOf(value) as Value;

/** Makes JSON that is read anew unchangeable where it stands. */
export const freezeDeep = (part: object): void => {
  Object.freeze(part);
  for (const name in part) {
    const value = (part as Readonly<Record<string, unknown>>)[name];
    if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) freezeDeep(value);
  }
};

const copyOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return Object.freeze(value.map(copyOf));
  if (typeof value !== 'object' || value === null || !isPlain(value)) return value;
  const copy: object = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, copyOf(part)]));
  return Object.freeze(Object.getPrototypeOf(value) === null ? Object.setPrototypeOf(copy, null) : copy);
};
