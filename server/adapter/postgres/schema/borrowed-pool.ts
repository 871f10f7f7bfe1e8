import type { Pool, PoolClient } from 'pg';
import { execute } from '../statement.ts';

type Connected = (
  error: Error | undefined,
  client: OrmClient | undefined,
  release: (reason?: Error | boolean) => void,
) => void;

/** Calls back with a client and the function that returns it. */
export type Lend = (connected: Connected) => void;

/**
 * Stands in for the class `Pool` of `pg` in TypeORM: it opens nothing, passes on lent clients, and leaves them open
 * when TypeORM ends it. TypeORM 1.1 has no option for an existing pool; it calls only these three methods.
 */
export const borrowedPool = (lend: Lend) =>
  class {
    connect(connected: Connected): void {
      lend(connected);
    }

    /** Ignored: listeners would pile up on a pool that outlives the data source; its errors have another listener. */
    on(): this {
      return this;
    }

    end(ended: () => void): void {
      ended();
    }
  };

type OrmClient = ReturnType<typeof ormClient>;

/** A connection for TypeORM: its queries are sent as statements of ours. */
export const ormClient = (client: PoolClient) => ({
  query: (text: string, values?: readonly unknown[]) => execute(client, { text, ...(values && { values }) }),
  on: (event: 'error', listener: (error: Error) => void) => client.on(event, listener),
  removeListener: (event: 'error', listener: (error: Error) => void) => client.removeListener(event, listener),
});

/** Without `checkout`: migrations wait for each other, and have no deadline. */
export const withoutDeadline =
  (pool: Pool): Lend =>
  (connected) =>
    pool.connect((error, client, release) => connected(error, client && ormClient(client), release));
