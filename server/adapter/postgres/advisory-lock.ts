import type { Pool, PoolClient } from 'pg';
import type { Exclusive } from '../../timer/exclusive.ts';

/** A session's advisory lock on a connection of its own (`Exclusive`). It ends with the connection, and is then tried for again. */
export class AdvisoryLock implements Exclusive {
  readonly #pool: Pool;
  readonly #name: string;
  #client: PoolClient | undefined;

  /** The same name is the same right, in one database. */
  constructor(pool: Pool, name: string) {
    this.#pool = pool;
    this.#name = name;
  }

  async tryHold(): Promise<boolean> {
    if (this.#client !== undefined) return true;
    const client = await this.#pool.connect();
    client.on('error', this.#lose);
    try {
      const reply = await client.query('select pg_try_advisory_lock(hashtextextended($1, 0)) as held', [this.#name]);
      if (reply.rows[0]?.held === true) {
        this.#client = client;
        return true;
      }
      client.release();
      return false;
    } catch (error) {
      client.release(true);
      throw error;
    } finally {
      if (this.#client !== client) client.off('error', this.#lose);
    }
  }

  async release(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    client?.off('error', this.#lose);
    client?.on('error', () => undefined);
    // Closing the connection is what frees the lock, whatever state it is in.
    client?.release(true);
  }

  readonly #lose = (): void => void this.release();
}

/** Two processes without a common index would not know of each other's timers. */
export class SecondProcess extends Error {
  readonly code = 'database/in-use';

  constructor() {
    super('another process works on this database: set REDIS_URL in both, or stop the other');
    this.name = 'SecondProcess';
  }
}

/** One process a database when the index is in memory. Throws `SecondProcess` when another one runs. */
export const acquireSingleProcessLock = async (pool: Pool, schema: string): Promise<Exclusive> => {
  const lock = new AdvisoryLock(pool, `${schema}.single-process`);
  if (await lock.tryHold()) return lock;
  throw new SecondProcess();
};
