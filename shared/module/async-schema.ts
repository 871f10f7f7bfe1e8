import { peek } from '../game-code.ts';

export const ASYNC = {
  what: 'has an async check or transform',
  remedy: 'make it sync; check what needs a promise before the command is given',
};

/**
 * Whether a schema has an async check or transform, as far as this can be told: zod hides that of a `superRefine`, and no
 * getter is called. Schemas are read at once, and refuse a promise.
 */
export const hasAsyncPart = (schema: unknown): boolean => {
  const found = new Set([schema]);
  for (const one of found) {
    if (peek(() => isAsync(one)) ?? true) return true;
    if (typeof one !== 'object' || one === null) continue;
    for (const part of peek(() => partsOf(one)) ?? [])
      if (Object(part) === part && found.size < MOST_PARTS) found.add(part);
  }
  return false;
};

const MOST_PARTS = 10_000;

interface SchemaOrCheck {
  readonly _zod?: { readonly def?: { readonly type?: unknown; readonly shape?: unknown }; readonly check?: unknown };
}

const isAsync = (one: unknown): boolean =>
  Object.prototype.toString.call(one) === '[object AsyncFunction]' ||
  (one as SchemaOrCheck | null | undefined)?._zod?.def?.type === 'promise';

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
