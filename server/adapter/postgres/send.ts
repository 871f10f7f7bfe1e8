import type { QueryConfig, QueryResult } from 'pg';
import { markOurs } from './world-fault.ts';

export type Told = (error: Error | null | undefined, result: QueryResult) => void;

/** What `pg` takes: a statement, or its text and values. */
export type Said = readonly [statement: string | QueryConfig, values?: readonly unknown[]];

/**
 * Sends a statement on a connection or a pool of `pg`, or on what a host passes for one, as `await on.query(...)` would. For
 * that `pg` writes a function to a property of the statement. V8 takes what is written as `object.property = () => ...`
 * for a method, and puts it among the old objects, where it stays until the next full collection, and with it the
 * statement, its rows, and who waited for them. A function that is passed as an argument is young, and goes with the
 * rest (docs/record/performance.md, lateness).
 */
export const send = async (on: object, ...said: Said): Promise<QueryResult> => {
  const { promise, resolve, reject } = Promise.withResolvers<QueryResult>();
  const told: Told = (error, result) => (error ? reject(error) : resolve(result));
  const returned = (on as { query(...said: unknown[]): unknown }).query(...said, told);
  // What a host passes may know promises alone; or it is an async function round `pg`, and promises nothing but to have asked.
  if (isPromise(returned)) returned.then((result) => result && resolve(result), reject);
  try {
    return await promise;
  } catch (error) {
    // Who asked says more than who read the socket.
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
      value: (...said: unknown[]) => {
        const asked = (client as unknown as { query(...said: unknown[]): unknown }).query(...said);
        return asked instanceof Promise ? asked.catch((error: unknown) => Promise.reject(markOurs(error))) : asked;
      },
    },
  });
