import type { Pool, PoolClient } from 'pg';

type Connected = Parameters<Pool['connect']>[0];

/**
 * What TypeORM takes for the class `Pool` of `pg`: it opens nothing, lends clients of `pool`, and leaves that open when
 * TypeORM ends it. TypeORM 1.1 has no option for a pool that exists; it calls these three methods and no other.
 */
export const borrowedPool = (pool: Pool) =>
  class {
    connect(connected: Connected): void {
      pool.connect((error, client, release) => {
        if (client === undefined) return connected(error, client, release);
        const restore = withoutDeadline(client);
        connected(error, client, (reason) => {
          restore();
          release(reason);
        });
      });
    }

    /** Listeners would pile up on a pool that outlives the data source; its errors are heard elsewhere. */
    on(): this {
      return this;
    }

    end(ended: () => void): void {
      ended();
    }
  };

/** Migrations wait for each other, and may take as long as they have to. `pg` has no call for it. */
const withoutDeadline = (client: PoolClient): (() => void) => {
  const { connectionParameters } = client as unknown as { connectionParameters: { query_timeout?: unknown } };
  const before = connectionParameters.query_timeout;
  connectionParameters.query_timeout = false;
  return () => {
    connectionParameters.query_timeout = before;
  };
};
