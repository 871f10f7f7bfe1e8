import { z } from 'zod';
import { handleRejection, isA } from '../game-code.ts';
import { ASYNC, hasCode } from './async-schema.ts';

/**
 * Reads a value by a schema of a module, at once. `defineModule` cannot find every async check: zod refuses its promise,
 * and drops it. So every promise that begins while code of the game runs is handled: none ends the process. Throws what
 * that code throws, and a `TypeError` for a schema that is async.
 */
export const readBySchema = <Schema extends z.core.$ZodType>(
  schema: Schema,
  value: unknown,
): z.core.util.SafeParseResult<z.core.output<Schema>> => {
  if (!runsCode(schema)) {
    const read = z.core.safeParse(schema, value);
    return read.success ? read : watched(() => withTexts(read));
  }
  // The code that zod compiles for an object takes a promise for a result, and fails without a clear error.
  return watched(() => withTexts(z.core.safeParse(schema, value, { jitless: true })));
};

/** Zod asks for the texts of errors, which may be code of the game, when \`error\` is read first. */
const withTexts = <Read extends z.core.util.SafeParseResult<unknown>>(read: Read): Read => {
  void read.error;
  return read;
};

const watched = <T>(read: () => T): T => {
  const begun: Promise<unknown>[] = [];
  const stop = promiseHooks?.onInit((promise) => void begun.push(promise));
  try {
    return read();
  } catch (thrown) {
    throw isA(thrown, z.core.$ZodAsyncError) ? new TypeError(`the schema ${ASYNC.what}: ${ASYNC.remedy}`) : thrown;
  } finally {
    stop?.();
    for (const promise of begun) handleRejection(promise);
  }
};

/** A schema of plain data costs no watch: its reads are frequent, and have no promise. */
const runsCode = (schema: object): boolean => {
  const known = coded.get(schema) ?? hasCode(schema);
  coded.set(schema, known);
  return known;
};

const coded = new WeakMap<object, boolean>();

interface NodeProcess {
  getBuiltinModule?(name: 'node:v8'): {
    readonly promiseHooks: { onInit(seen: (promise: Promise<unknown>) => void): () => void };
  };
}

/** Not by an import: a page in a browser reads rules too, and a rejection ends no page. */
const promiseHooks = (globalThis as { readonly process?: NodeProcess }).process?.getBuiltinModule?.(
  'node:v8',
)?.promiseHooks;
