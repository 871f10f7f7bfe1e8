import { Pool, type PoolClient } from 'pg';
import type { EngineLog } from '../../runtime/engine-log.ts';
import { limits } from '../../settings/config.ts';
import { ownTypes } from './own-types.ts';

interface Options {
  readonly url: string;
  /** The most connections. */
  readonly max: number;
  readonly log: EngineLog;
}

/**
 * A new pool of this process. It does not connect yet.
 *
 * Pipelined: statements of one client that do not wait for each other share round trips. So use no cursors here, and
 * await such statements together: after a failed one, the later statements of the transaction fail too.
 */
export const createPool = ({ url, max, log }: Options): Pool => {
  const { connectMs, keepAliveMs } = limits.postgres;
  const { statementMs, lockMs, idleInTransactionMs } = limits.transaction;
  const pool = new Pool({
    connectionString: url,
    max,
    application_name: 'kibble',
    pipeline: true,
    types: ownTypes,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
  });
  surviveLostConnections(pool, log);
  return pool;
};

/** Watched pools. Our own pool is watched from its start, and passed to `createKibble` like a host's. */
const pools = new WeakSet<Pool>();

/**
 * Logs lost connections of the pool. Without a listener, an `error` event ends a Node process. The pool listens only to
 * idle clients, so each client gets a listener while it is checked out.
 */
export const surviveLostConnections = (pool: Pool, log: EngineLog): void => {
  if (pools.has(pool)) return;
  pools.add(pool);
  const watched = new WeakSet<PoolClient>();
  const report = ({ message: reason }: Error): void => {
    // A Postgres that stops together with us ends connections that the pool is about to close.
    if (pool.ending) return;
    // Not the error itself: the pool attaches the whole client to it.
    log.warn({ reason }, 'lost a connection to Postgres');
  };

  // Not `connect`: clients of a host's pool may have connected before.
  pool.on('acquire', (client) => {
    if (watched.has(client)) return;
    watched.add(client);
    client.on('error', report);
  });
  pool.on('error', (err, client) => {
    if (!watched.has(client)) report(err);
  });
};
