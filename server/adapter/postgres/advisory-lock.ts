import type { Pool, PoolClient } from 'pg';
import type { Clock } from '../../runtime/clock.ts';
import type { Exclusive } from '../../runtime/exclusive.ts';
import { checkout, releaseClient } from './checkout.ts';
import { asError } from './statement.ts';

/** A session that is silent for so long is ended by the server, and with it the lock. */
const SILENT_MS = 6000;
/** A release does not wait long for a server that does not respond: the connection is closed then. */
const UNLOCK = { text: 'select pg_advisory_unlock_all()', query_timeout: 1000 };

/** A session that held a lock goes to no other work. */
const CLOSED = new Error('the connection of a lock was closed');

interface Dependencies {
  readonly pool: Pool;
  /** The same name is the same right, in one database. */
  readonly name: string;
  /** The holder's heartbeats go by it: a holder that is frozen or cut off loses the lock. */
  readonly clock: Pick<Clock, 'after' | 'monotonicMs'>;
  /** True: a shared lock, which excludes an exclusive holder. Default false. */
  readonly isShared?: boolean;
  /** How long a holder may be silent. Default 6 s. */
  readonly silentMs?: number;
  /** Called at each loss, not at a release. */
  readonly onLost?: () => void;
}

interface Held {
  readonly client: PoolClient;
  readonly backend: number;
  /** When its last query that succeeded was sent: the server keeps the session for `silentMs` from then, at least. */
  respondedAtMs: number;
  isProbing: boolean;
}

/**
 * A session's advisory lock on a connection of its own (`Exclusive`). It ends with the connection, and the next `tryHold`
 * tries again. A holder whose session was ended learns it from its connection, or from a probe without a response: for
 * up to `silentMs` it may return `true` while another process has the lock. What is done under the lock is harmless twice.
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

  /** The server's process behind the session that holds it; undefined while it is not held. */
  get backend(): number | undefined {
    return this.#held?.backend;
  }

  async tryHold(): Promise<boolean> {
    if (this.#held && this.#isSilent(this.#held)) this.#close();
    if (this.#held) return true;
    const { pool, name, clock, isShared = false } = this.#on;
    const client = await checkout(pool);
    const lost = (): void => this.#lose(client);
    client.on('error', lost).on('end', lost);
    try {
      const respondedAtMs = clock.monotonicMs();
      // The limit comes with the lock: a holder that dies at once loses it, too.
      const reply = await client.query(
        `select case when pg_try_advisory_lock${isShared ? '_shared' : ''}(hashtextextended($1, 0))
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
      await held.client.query('select 1');
      held.respondedAtMs = sentAtMs;
    } catch {
      this.#lose(held.client);
    }
    held.isProbing = false;
  }

  /** Nothing came back for so long that the server may have ended the session; also when this process was frozen. */
  #isSilent({ respondedAtMs }: Held): boolean {
    return this.#on.clock.monotonicMs() - respondedAtMs >= this.#silentMs;
  }

  #lose(client: PoolClient): void {
    if (this.#held?.client === client) this.#close();
  }

  /** When it ends another one may hold: closing alone would free it a moment later. */
  async release(): Promise<void> {
    const held = this.#held;
    if (!held) return;
    this.#held = undefined;
    this.#cancelProbe?.();
    await held.client.query(UNLOCK).catch(() => undefined);
    releaseClient(held.client, CLOSED);
  }

  /** Closing the connection is what frees the lock, whatever state it is in. */
  #close(): void {
    const client = this.#held?.client;
    this.#held = undefined;
    this.#cancelProbe?.();
    if (client) releaseClient(client, CLOSED);
    this.#on.onLost?.();
  }
}
