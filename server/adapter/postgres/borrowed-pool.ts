import type { Pool } from 'pg';

type Connected = Parameters<Pool['connect']>[0];

/**
 * What TypeORM takes for the class `Pool` of `pg`: it opens nothing, lends clients of `pool`, and leaves that open when
 * TypeORM ends it. TypeORM 1.1 has no option for a pool that exists; it calls these three methods and no other.
 */
export const borrowedPool = (pool: Pool) =>
  class {
    connect(connected: Connected): void {
      pool.connect(connected);
    }

    /** Listeners would pile up on a pool that outlives the data source; its errors are heard elsewhere. */
    on(): this {
      return this;
    }

    end(ended: () => void): void {
      ended();
    }
  };
