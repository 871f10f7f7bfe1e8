import { Pool } from 'pg';
import type { EngineLog } from '../../runtime/engine-log.ts';
import { limits } from '../../settings/config.ts';
import { surviveLostConnections } from './lost-connections.ts';
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
