import { Pool, type PoolClient } from 'pg';
import type { EngineLog } from '../../runtime/engine-log.ts';
import { limits } from '../../settings/config.ts';
import { ownTypes } from './own-types.ts';

interface Options {
  readonly url: string;
  /** Connections at most. */
  readonly max: number;
  readonly log: EngineLog;
}

/**
 * The pool of a process that brings its own. Nothing connects yet.
 *
 * Pipelined: statements of one client that do not wait for each other share round trips. So no cursors here, and a
 * statement after a failed one of the same transaction fails too: await them together.
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

/** Our own pool is watched from its birth, and handed to `createKibble` like a host's. */
const pools = new WeakSet<Pool>();

/**
 * Logs lost connections of the pool, so that none of them ends the process: in Node an `error` event without a
 * listener does. The pool listens to idle clients only, so each client gets a listener for the time it is checked out.
 */
export const surviveLostConnections = (pool: Pool, log: EngineLog): void => {
  if (pools.has(pool)) return;
  pools.add(pool);
  const watched = new WeakSet<PoolClient>();
  const report = ({ message: reason }: Error): void => {
    // A Postgres that is stopped with us ends what the pool is about to close.
    if (pool.ending) return;
    // Not the error itself: the pool hangs the whole client on it.
    log.warn({ reason }, 'lost a connection to Postgres');
  };

  // Not `connect`: a pool of the host may have clients that connected before us.
  pool.on('acquire', (client) => {
    if (watched.has(client)) return;
    watched.add(client);
    client.on('error', report);
  });
  pool.on('error', (err, client) => {
    if (!watched.has(client)) report(err);
  });
};
