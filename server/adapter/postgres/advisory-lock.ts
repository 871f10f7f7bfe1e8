import type { Pool, PoolClient } from 'pg';
import type { Clock } from '../../runtime/clock.ts';
import type { Exclusive } from '../../runtime/exclusive.ts';

/** A session that is silent for so long is ended by the server, and with it the lock. */
const SILENT_MS = 6000;
const BEAT_EVERY_MS = 2000;
/** A release does not wait long for a server that does not respond: the connection is closed then. */
const UNLOCK = { text: 'select pg_advisory_unlock_all()', query_timeout: 1000 };

interface Dependencies {
  readonly pool: Pool;
  /** The same name is the same right, in one database. */
  readonly name: string;
  /** With it the holder shows that it lives: one that is frozen or cut off loses the lock. Default: it keeps it. */
  readonly clock?: Pick<Clock, 'after' | 'monotonicMs'>;
}

interface Held {
  readonly client: PoolClient;
  readonly backend: number;
  /** When its last query that succeeded was sent: the server keeps the session for `SILENT_MS` from then, at least. */
  answeredAtMs: number;
  isAsking: boolean;
}

/**
 * A session's advisory lock on a connection of its own (`Exclusive`). It ends with the connection, and is then tried
 * for again. A holder whose session was ended hears so from its connection, or from a query without a response:
 * for up to six seconds it may say `true` while another one holds. What is done under the lock is harmless twice.
 */
export class AdvisoryLock implements Exclusive {
  readonly #dependencies: Dependencies;
  #held: Held | undefined;
  #cancelBeat: (() => void) | undefined;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** The server's process behind the session that holds it; undefined while it is not held. */
  get backend(): number | undefined {
    return this.#held?.backend;
  }

  async tryHold(): Promise<boolean> {
    if (this.#held && this.#isSilent(this.#held)) this.#close();
    if (this.#held) return true;
    const { pool, name, clock } = this.#dependencies;
    const client = await pool.connect();
    const lost = (): void => this.#lose(client);
    client.on('error', lost).on('end', lost);
    try {
      const reply = await client.query(
        'select pg_try_advisory_lock(hashtextextended($1, 0)) as held, pg_backend_pid() as backend',
        [name],
      );
      if (reply.rows[0]?.held !== true) {
        client.off('error', lost).off('end', lost);
        client.release();
        return false;
      }
      const answeredAtMs = this.#nowMs();
      if (clock) await client.query(`set idle_session_timeout = ${SILENT_MS}`);
      this.#held = { client, answeredAtMs, isAsking: false, backend: reply.rows[0].backend };
      this.#beat(this.#held);
      return true;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  #beat(held: Held): void {
    this.#cancelBeat = this.#dependencies.clock?.after(BEAT_EVERY_MS, () => {
      if (this.#isSilent(held)) return this.#lose(held.client);
      if (!held.isAsking) void this.#ask(held);
      this.#beat(held);
    });
  }

  async #ask(held: Held): Promise<void> {
    const askedAtMs = this.#nowMs();
    held.isAsking = true;
    try {
      await held.client.query('select 1');
      held.answeredAtMs = askedAtMs;
    } catch {
      this.#lose(held.client);
    }
    held.isAsking = false;
  }

  /** Nothing came back for so long that the server may have ended the session; also when this process was frozen. */
  #isSilent({ answeredAtMs }: Held): boolean {
    return this.#nowMs() - answeredAtMs >= SILENT_MS;
  }

  /** Without a clock no time passes. */
  #nowMs(): number {
    return this.#dependencies.clock?.monotonicMs() ?? 0;
  }

  #lose(client: PoolClient): void {
    if (this.#held?.client === client) this.#close();
  }

  /** When it ends another one may hold: closing alone would free it a moment later. */
  async release(): Promise<void> {
    const held = this.#held;
    if (!held) return;
    this.#held = undefined;
    this.#cancelBeat?.();
    await held.client.query(UNLOCK).catch(() => undefined);
    held.client.release(true);
  }

  /** Closing the connection is what frees the lock, whatever state it is in. */
  #close(): void {
    const client = this.#held?.client;
    this.#held = undefined;
    this.#cancelBeat?.();
    client?.release(true);
  }
}

/** Two processes without a common index would not know of each other's timers. */
export class SecondProcess extends Error {
  readonly code = 'database/in-use';

  constructor(isThisOne: boolean) {
    super(
      isThisOne
        ? 'this same process has a Kibble on this database already: keep one, shut the first down before, or give both a Redis'
        : 'another process works on this database: set REDIS_URL in both, or stop the other',
    );
    this.name = 'SecondProcess';
  }
}

/** One process a database when the index is in memory. Throws `SecondProcess` when another one runs. */
export const acquireSingleProcessLock = async (pool: Pool, schema: string): Promise<Exclusive> => {
  const name = `${schema}.single-process`;
  const lock = new AdvisoryLock({ pool, name });
  if (!(await lock.tryHold())) throw new SecondProcess(await isHeldHere(pool, name));
  heldHere.add(lock);
  return {
    tryHold: () => lock.tryHold(),
    release: () => {
      heldHere.delete(lock);
      return lock.release();
    },
  };
};

/** Of this process, whichever Kibble has them: a second one is told from a second process by nothing else. */
const heldHere = new Set<AdvisoryLock>();

const isHeldHere = async (pool: Pool, name: string): Promise<boolean> => {
  const { rows } = await pool.query(
    `select pid from pg_locks
      where locktype = 'advisory' and granted and objsubid = 1
        and database = (select oid from pg_database where datname = current_database())
        and (classid::bigint << 32) | objid::bigint = hashtextextended($1, 0)`,
    [name],
  );
  const holders = new Set(rows.map(({ pid }) => pid));
  return [...heldHere].some(({ backend }) => holders.has(backend));
};
