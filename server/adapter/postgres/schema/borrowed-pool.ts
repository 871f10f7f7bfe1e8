import type { Pool, PoolClient } from 'pg';
import { execute } from '../statement.ts';

type Connected = (
  error: Error | undefined,
  client: OrmClient | undefined,
  release: (reason?: Error | boolean) => void,
) => void;

/** Calls back with a client, and with what gives it back. */
export type Lend = (connected: Connected) => void;

/**
 * What TypeORM takes for the class `Pool` of `pg`: it opens nothing, hands on the clients that it is lent, and leaves
 * them open when TypeORM ends it. TypeORM 1.1 has no option for a pool that exists; it calls these three methods and no other.
 */
export const borrowedPool = (lend: Lend) =>
  class {
    connect(connected: Connected): void {
      lend(connected);
    }

    /** Listeners would pile up on a pool that outlives the data source; its errors are heard elsewhere. */
    on(): this {
      return this;
    }

    end(ended: () => void): void {
      ended();
    }
  };

type OrmClient = ReturnType<typeof ormClient>;

/** A connection as TypeORM gets it: what it asks is asked as a statement of ours. */
export const ormClient = (client: PoolClient) => ({
  query: (text: string, values?: readonly unknown[]) => execute(client, { text, ...(values && { values }) }),
  on: (event: 'error', listener: (error: Error) => void) => client.on(event, listener),
  removeListener: (event: 'error', listener: (error: Error) => void) => client.removeListener(event, listener),
});

/** Not by `checkout`: migrations wait for each other, and may take as long as they have to. */
export const withoutDeadline =
  (pool: Pool): Lend =>
  (connected) =>
    pool.connect((error, client, release) => connected(error, client && ormClient(client), release));
