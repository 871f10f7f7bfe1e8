import { z } from 'zod';
import { handleRejection, isA } from '../game-code.ts';
import { ASYNC } from './async-schema.ts';

/**
 * Reads a value by a schema of a module, at once. `defineModule` cannot find every async check or text of an error: zod
 * refuses or ignores its promise, and drops it. So every promise that begins meanwhile is handled: none ends the process.
 * Throws what code of the schema throws, and a `TypeError` for a schema that is async.
 */
export const readBySchema = <Schema extends z.core.$ZodType>(
  schema: Schema,
  value: unknown,
): z.core.util.SafeParseResult<z.core.output<Schema>> => {
  const begun: Promise<unknown>[] = [];
  const stop = promiseHooks?.onInit((promise) => void begun.push(promise));
  try {
    // The code that zod compiles for an object takes a promise for a result, and fails without a clear error.
    const read = z.core.safeParse(schema, value, { jitless: true });
    // Zod asks for the texts of errors when they are read first.
    void read.error;
    return read;
  } catch (thrown) {
    throw isA(thrown, z.core.$ZodAsyncError) ? new TypeError(`the schema ${ASYNC.what}: ${ASYNC.remedy}`) : thrown;
  } finally {
    stop?.();
    for (const promise of begun) handleRejection(promise);
  }
};

interface NodeProcess {
  getBuiltinModule?(name: 'node:v8'): {
    readonly promiseHooks: { onInit(seen: (promise: Promise<unknown>) => void): () => void };
  };
}

/** Not by an import: a page in a browser reads rules too, and a rejection ends no page. */
const promiseHooks = (globalThis as { readonly process?: NodeProcess }).process?.getBuiltinModule?.(
  'node:v8',
)?.promiseHooks;
