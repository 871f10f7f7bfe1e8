import type { Pool, PoolClient } from 'pg';
import type { Clock } from '../../timer/clock.ts';
import type { Exclusive } from '../../timer/exclusive.ts';

/** A session that is silent for so long is ended by the server, and with it the lock. */
const SILENT_MS = 6000;
const BEAT_EVERY_MS = 2000;

interface Dependencies {
  readonly pool: Pool;
  /** The same name is the same right, in one database. */
  readonly name: string;
  /** With it the holder shows that it lives: one that is frozen loses the lock. Default: it keeps it. */
  readonly clock?: Pick<Clock, 'after'>;
}

/** A session's advisory lock on a connection of its own (`Exclusive`). It ends with the connection, and is then tried for again. */
export class AdvisoryLock implements Exclusive {
  readonly #dependencies: Dependencies;
  #client: PoolClient | undefined;
  #cancelBeat: (() => void) | undefined;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  async tryHold(): Promise<boolean> {
    if (this.#client !== undefined) return true;
    const { pool, name, clock } = this.#dependencies;
    const client = await pool.connect();
    client.on('error', this.#lose);
    try {
      const reply = await client.query('select pg_try_advisory_lock(hashtextextended($1, 0)) as held', [name]);
      if (reply.rows[0]?.held === true) {
        if (clock) await client.query(`set idle_session_timeout = ${SILENT_MS}`);
        this.#client = client;
        this.#beat();
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

  #beat(): void {
    this.#cancelBeat = this.#dependencies.clock?.after(BEAT_EVERY_MS, () => {
      // A connection that is lost says so by its error.
      this.#client?.query('select 1').catch(() => undefined);
      this.#beat();
    });
  }

  async release(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    this.#cancelBeat?.();
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
  const lock = new AdvisoryLock({ pool, name: `${schema}.single-process` });
  if (await lock.tryHold()) return lock;
  throw new SecondProcess();
};
