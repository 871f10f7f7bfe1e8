import type { QueryConfig, QueryResult } from 'pg';
import { markOurs } from './world-fault.ts';

/** The arguments of `query` of `pg`: a statement, or its text and values. */
export type QueryArguments = readonly [statement: string | QueryConfig, values?: readonly unknown[]];

/**
 * Sends a statement on a connection or pool of `pg`, or on a host's replacement, like `await on.query(...)`. For
 * `await`, `pg` writes a function to a property of the statement. V8 takes a function written as `object.property = ()
 * => ...` for a method and puts it among the old objects. There it stays until the next full collection, with the
 * statement, its rows, and the code that waits for them. A function passed as an argument is young, and is collected
 * with the rest (docs/record/performance.md, lateness).
 */
export const send = async (on: object, ...query: QueryArguments): Promise<QueryResult> => {
  const { promise, resolve, reject } = Promise.withResolvers<QueryResult>();
  const done = (error: Error | null | undefined, result: QueryResult): void =>
    error ? reject(error) : resolve(result);
  const returned = (on as { query(...sent: unknown[]): unknown }).query(...query, done);
  // A host's replacement may return only promises, or be an async function around `pg`: then the promise only means
  // "sent".
  if (isPromise(returned)) returned.then((result) => result && resolve(result), reject);
  try {
    return await promise;
  } catch (error) {
    // The caller's stack is more useful than that of the socket's reader.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw markOurs(error);
  }
};

const isPromise = (returned: unknown): returned is Promise<QueryResult | undefined> =>
  typeof returned === 'object' && returned !== null && 'then' in returned;
