import type { Pool, PoolClient } from 'pg';

/** Calls back with a client, and with what gives it back. */
export type Lend = (connected: Parameters<Pool['connect']>[0]) => void;

/**
 * What TypeORM takes for the class `Pool` of `pg`: it opens nothing, hands on the clients that it is lent, and leaves
 * them open when TypeORM ends it. TypeORM 1.1 has no option for a pool that exists; it calls these three methods and no other.
 */
export const borrowedPool = (lend: Lend) =>
  class {
    connect(connected: Parameters<Lend>[0]): void {
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

/** Migrations wait for each other, and may take as long as they have to. */
export const withoutDeadline =
  (pool: Pool): Lend =>
  (connected) =>
    pool.connect((error, client, release) => {
      if (client === undefined) return connected(error, client, release);
      const restore = liftDeadline(client);
      connected(error, client, (reason) => {
        restore();
        release(reason);
      });
    });

/** `pg` has no call for it. */
const liftDeadline = (client: PoolClient): (() => void) => {
  const { connectionParameters } = client as unknown as { connectionParameters: { query_timeout?: unknown } };
  const before = connectionParameters.query_timeout;
  connectionParameters.query_timeout = false;
  return () => {
    connectionParameters.query_timeout = before;
  };
};
