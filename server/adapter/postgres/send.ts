import type { QueryConfig, QueryResult } from 'pg';
import { markOurs } from './world-fault.ts';

/** The arguments of `query` of `pg`: a statement, or its text and values. */
export type QueryArguments = readonly [statement: string | QueryConfig, values?: readonly unknown[]];

/**
 * Sends a statement on a connection or a pool of `pg`, or on what a host passes for one, as `await on.query(...)` would. For
 * that `pg` writes a function to a property of the statement. V8 takes what is written as `object.property = () => ...`
 * for a method, and puts it among the old objects, where it stays until the next full collection, and with it the
 * statement, its rows, and the code that waited for them. A function that is passed as an argument is young, and goes with the
 * rest (docs/record/performance.md, lateness).
 */
export const send = async (on: object, ...query: QueryArguments): Promise<QueryResult> => {
  const { promise, resolve, reject } = Promise.withResolvers<QueryResult>();
  const done = (error: Error | null | undefined, result: QueryResult): void =>
    error ? reject(error) : resolve(result);
  const returned = (on as { query(...sent: unknown[]): unknown }).query(...query, done);
  // What a host passes may know promises alone; or it is an async function round `pg`, and promises nothing but to have asked.
  if (isPromise(returned)) returned.then((result) => result && resolve(result), reject);
  try {
    return await promise;
  } catch (error) {
    // The caller's stack says more than that of the socket's reader.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw markOurs(error);
  }
};

const isPromise = (returned: unknown): returned is Promise<QueryResult | undefined> =>
  typeof returned === 'object' && returned !== null && 'then' in returned;

/**
 * The connection of a transaction as code of the game gets it: the same, but what its statements fail with is known as ours
 * again when that code throws it.
 */
export const lent = <On extends object>(client: On): On =>
  Object.create(client, {
    query: {
      value: (...sent: unknown[]) => {
        const returned = (client as unknown as { query(...sent: unknown[]): unknown }).query(...sent);
        return returned instanceof Promise ? returned.catch((error) => Promise.reject(markOurs(error))) : returned;
      },
    },
  });
