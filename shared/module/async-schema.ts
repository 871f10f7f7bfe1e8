import { peek } from '../game-code.ts';

export const ASYNC = {
  what: 'has an async check or transform',
  remedy: 'make it sync; check what needs a promise before the command is given',
};

/**
 * Whether a schema has an async check or transform, as far as this can be told: zod hides that of a `superRefine`, and no
 * getter is called. Schemas are read at once, and refuse a promise.
 */
export const hasAsyncPart = (schema: unknown): boolean =>
  hasPart(
    schema,
    (one) => Object.prototype.toString.call(one) === '[object AsyncFunction]' || defOf(one)?.type === 'promise',
    partsOf,
  );

/** Whether a schema may run code of the game. Functions of zod itself may count, the conditions of its checks do not. */
export const hasCode = (schema: unknown): boolean =>
  hasPart(schema, (one) => typeof one === 'function' || defOf(one)?.check === 'custom', codedPartsOf);

const hasPart = (
  schema: unknown,
  isIt: (one: unknown) => boolean,
  partsIn: (one: SchemaOrCheck) => readonly unknown[],
): boolean => {
  const found = new Set([schema]);
  for (const one of found) {
    if (peek(() => isIt(one)) ?? true) return true;
    if (typeof one !== 'object' || one === null) continue;
    for (const part of peek(() => partsIn(one)) ?? [])
      if (Object(part) === part && found.size < MOST_PARTS) found.add(part);
  }
  return false;
};

const MOST_PARTS = 10_000;

interface SchemaOrCheck {
  readonly _zod?: { readonly def?: Def; readonly check?: unknown };
}

interface Def {
  readonly type?: unknown;
  readonly check?: unknown;
  readonly shape?: unknown;
}

const defOf = (one: unknown): Def | undefined => (one as SchemaOrCheck | null | undefined)?._zod?.def;

const partsOf = (one: SchemaOrCheck): readonly unknown[] => {
  const { _zod } = one;
  if (!_zod) return Object.values(Object.getOwnPropertyDescriptors(one)).map(({ value }) => value);
  return [_zod.def, _zod.def && shapeIn(_zod.def), _zod.check];
};

/** Of what defines a schema: the conditions of zod's own checks, the fields once more, and texts of errors, read apart. */
const NO_CODE = ['when', 'shape', 'error'];

/** Without the checks of zod itself. A getter is code. */
const codedPartsOf = (one: SchemaOrCheck): readonly unknown[] => {
  const def = defOf(one);
  return def ? [...valuesOf(def, NO_CODE), shapeIn(def)] : valuesOf(one);
};

const valuesOf = (of: object, except: readonly string[] = []): readonly unknown[] =>
  Object.entries(Object.getOwnPropertyDescriptors(of))
    .filter(([name]) => !except.includes(name))
    .map(([, { value, get }]) => get ?? value);

/** The first read of `shape` calls the getters in it; zod has the fields as they were given beside it. */
const shapeIn = (def: Def): unknown => {
  const read = Object.getOwnPropertyDescriptor(def, 'shape')?.get;
  return (read && Reflect.get(read, 'raw')) ?? def.shape;
};
