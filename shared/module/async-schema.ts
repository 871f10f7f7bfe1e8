import { peek } from '../game-code.ts';

/**
 * Whether a schema has an async check or transform, as far as this can be told: zod hides that of a `superRefine`, and no
 * getter is called. Schemas are read at once. Zod refuses a promise and drops it; if it rejects, the process ends.
 */
export const hasAsyncPart = (schema: unknown): boolean => {
  const found = new Set([schema]);
  for (const one of found) {
    if (Object.prototype.toString.call(one) === '[object AsyncFunction]') return true;
    if (typeof one !== 'object' || one === null) continue;
    for (const part of peek(() => partsOf(one)) ?? []) if (found.size < MOST_PARTS) found.add(part);
  }
  return false;
};

const MOST_PARTS = 10_000;

interface SchemaOrCheck {
  readonly _zod?: { readonly def?: { readonly shape?: unknown }; readonly check?: unknown };
}

const partsOf = (one: SchemaOrCheck): readonly unknown[] => {
  const { _zod } = one;
  if (!_zod) return Object.values(Object.getOwnPropertyDescriptors(one)).map(({ value }) => value);
  return [_zod.def, _zod.def && shapeIn(_zod.def), _zod.check];
};

/** The first read of `shape` calls the getters in it; zod has the fields as they were given beside it. */
const shapeIn = (def: { readonly shape?: unknown }): unknown => {
  const read = Object.getOwnPropertyDescriptor(def, 'shape')?.get;
  return (read && Reflect.get(read, 'raw')) ?? def.shape;
};
