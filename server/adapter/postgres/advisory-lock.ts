import type { Pool, PoolClient } from 'pg';
import type { Clock } from '../../runtime/clock.ts';
import type { Exclusive } from '../../runtime/exclusive.ts';
import { checkout, releaseClient } from './checkout.ts';
import { asError } from './statement.ts';

/** The server ends a session that is silent for so long, and with it the lock. */
const SILENT_MS = 6000;
/** A release does not wait longer for a server that does not respond; then the connection is closed. */
const UNLOCK = { text: 'select pg_advisory_unlock_all()', query_timeout: 1000 };

/** A session that had a lock is not reused for other work. */
const CLOSED = new Error('the connection of a lock was closed');

interface Dependencies {
  readonly pool: Pool;
  /** In one database the same name is the same lock. */
  readonly name: string;
  /** Times the holder's heartbeats: a holder that is frozen or cut off loses the lock. */
  readonly clock: Pick<Clock, 'after' | 'monotonicMs'>;
  /** True: a shared lock, which excludes an exclusive holder. Default false. */
  readonly isShared?: boolean;
  /** How long a holder may be silent. Default 6 s. */
  readonly silentMs?: number;
  /** Called at each loss, but not at a release. */
  readonly onLost?: () => void;
}

interface Held {
  readonly client: PoolClient;
  readonly backend: number;
  /** When the last successful query was sent: from then on the server retains the session for at least `silentMs`. */
  respondedAtMs: number;
  isProbing: boolean;
}

/**
 * A session's advisory lock on its own connection (`Exclusive`). It ends with the connection, and the next `tryLock`
 * tries again. A holder without a session learns it from its connection, or from a probe without a reply. For up to
 * `silentMs` two processes may believe to have the lock: work under it must be harmless if done twice. A standby's lock
 * would be one beside the primary's, so it is none.
 */
export class AdvisoryLock implements Exclusive {
  readonly #on: Dependencies;
  readonly #silentMs: number;
  #held: Held | undefined;
  #cancelProbe: (() => void) | undefined;

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
    this.#silentMs = dependencies.silentMs ?? SILENT_MS;
  }

  /** The server process of the session with the lock; undefined while this process does not have it. */
  get backend(): number | undefined {
    return this.#held?.backend;
  }

  async tryLock(): Promise<boolean> {
    if (this.#held && this.#isSilent(this.#held)) this.#close();
    if (this.#held) return true;
    const { pool, name, clock, isShared = false } = this.#on;
    const client = await checkout(pool);
    const lost = (): void => this.#lose(client);
    client.on('error', lost).on('end', lost);
    try {
      const respondedAtMs = clock.monotonicMs();
      // The same statement sets the time-out, so a holder that dies at once loses the lock, too.
      const reply = await client.query(
        `select case when not pg_is_in_recovery() and pg_try_advisory_lock${isShared ? '_shared' : ''}(hashtextextended($1, 0))
           then set_config('idle_session_timeout', $2, false) end as held, pg_backend_pid() as backend`,
        [name, String(this.#silentMs)],
      );
      if (reply.rows[0]?.held == null) {
        client.off('error', lost).off('end', lost);
        releaseClient(client);
        return false;
      }
      this.#held = { client, respondedAtMs, isProbing: false, backend: reply.rows[0].backend };
      this.#scheduleProbe(this.#held);
      return true;
    } catch (error) {
      releaseClient(client, asError(error));
      throw error;
    }
  }

  #scheduleProbe(held: Held): void {
    this.#cancelProbe = this.#on.clock.after(this.#silentMs / 3, () => {
      if (this.#isSilent(held)) return this.#lose(held.client);
      if (!held.isProbing) void this.#probe(held);
      this.#scheduleProbe(held);
    });
  }

  async #probe(held: Held): Promise<void> {
    const sentAtMs = this.#on.clock.monotonicMs();
    held.isProbing = true;
    try {
      const { rows } = await held.client.query('select pg_is_in_recovery() as is_standby');
      if (rows[0]?.is_standby) this.#lose(held.client);
      held.respondedAtMs = sentAtMs;
    } catch {
      this.#lose(held.client);
    }
    held.isProbing = false;
  }

  /** Whether no response came for so long that the server may have ended the session, also because this process was frozen. */
  #isSilent({ respondedAtMs }: Held): boolean {
    return this.#on.clock.monotonicMs() - respondedAtMs >= this.#silentMs;
  }

  #lose(client: PoolClient): void {
    if (this.#held?.client === client) this.#close();
  }

  /** Resolves when another process can take the lock; closing alone would free it a moment later. */
  async release(): Promise<void> {
    const held = this.#held;
    if (!held) return;
    this.#held = undefined;
    this.#cancelProbe?.();
    await held.client.query(UNLOCK).catch(() => undefined);
    releaseClient(held.client, CLOSED);
  }

  /** Closing the connection frees the lock, whatever its state. */
  #close(): void {
    const client = this.#held?.client;
    this.#held = undefined;
    this.#cancelProbe?.();
    if (client) releaseClient(client, CLOSED);
    this.#on.onLost?.();
  }
}
