import type { Schema } from '../../shared/options/schema.ts';

interface Walked {
  readonly shape?: Readonly<Record<string, Schema<unknown>>>;
  readonly element?: Schema<unknown>;
}

/** The paths of all that a schema reads: `kinds`, `kinds[]`, `kinds[].timeoutMs`. Ends in `{}`: an object with fields. */
export const pathsOf = (schema: Schema<unknown>, path = ''): readonly string[] => {
  const { shape, element } = schema as Walked;
  if (element) return [path, ...pathsOf(element, `${path}[]`)];
  if (!shape) return [path];
  const below = Object.entries(shape).flatMap(([name, one]) => pathsOf(one, path === '' ? name : `${path}.${name}`));
  return [`${path}{}`, ...below];
};

/** The same with another value at `path`, where `[]` is the first of a list. Values beside the path stay the same. */
export const replaced = (given: unknown, path: string, value: unknown): unknown => {
  const parts = path.split(/\.|(?=\[\])/).filter((part) => part !== '');
  return replacedIn(given, parts, value);
};

const replacedIn = (given: unknown, [part, ...rest]: readonly string[], value: unknown): unknown => {
  if (part === undefined) return value;
  if (part === '[]') {
    const [first, ...others] = Array.isArray(given) ? given : [];
    return [replacedIn(first, rest, value), ...others];
  }
  const object = (given ?? {}) as Readonly<Record<string, unknown>>;
  return { ...object, [part]: replacedIn(object[part], rest, value) };
};

/** As a fault names it. */
export const concrete = (path: string): string => path.replaceAll('[]', '[0]');
