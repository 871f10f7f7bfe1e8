import type { Pool, PoolClient } from 'pg';
import { StoreFault } from '../../home/store-fault.ts';
import { inOrder } from './statement.ts';
import { isConnectionFault } from './world-fault.ts';

/** What the last round trip of a transaction sends: the writes, with the commit right behind them. */
export type Writes = readonly (() => Promise<unknown>)[];

export interface TransactionLimits {
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
  readonly idleTimeoutMs: number;
}

/**
 * One transaction: `work` reads and answers what to write; the writes and the commit share a round trip. Time-outs are
 * set inside it, so that they hold on a pool of somebody else's too. Throws a `StoreFault`.
 */
export const homeTransaction = async (
  pool: Pool,
  limits: TransactionLimits,
  work: (client: PoolClient) => Promise<Writes>,
): Promise<void> => {
  const client = await pool.connect().catch((error: unknown) => {
    throw new StoreFault('down', error);
  });
  // Without a listener, a server that dies between two statements would end the process.
  const ignore = (): void => undefined;
  client.on('error', ignore);
  const state: TransactionState = { isCommitting: false, broken: undefined };
  try {
    await transact(client, limits, work, state);
  } catch (error) {
    throw await faultOf(client, error, state);
  } finally {
    client.off('error', ignore);
    client.release(state.broken);
  }
};

interface TransactionState {
  isCommitting: boolean;
  broken: Error | undefined;
}

const transact = async (
  client: PoolClient,
  limits: TransactionLimits,
  work: (client: PoolClient) => Promise<Writes>,
  state: TransactionState,
): Promise<void> => {
  await client.query(
    `begin; set local statement_timeout = ${limits.statementTimeoutMs}; set local lock_timeout = ${limits.lockTimeoutMs};
     set local idle_in_transaction_session_timeout = ${limits.idleTimeoutMs}; set local enable_seqscan = off`,
  );
  const writes = await work(client);
  let tag = '';
  const commit = async (): Promise<void> => {
    state.isCommitting = true;
    tag = (await client.query('commit')).command;
  };
  await inOrder(client, [...writes, commit]);
  if (tag !== 'COMMIT') throw new Error(`the commit was answered with ${tag}`);
};

const faultOf = async (client: PoolClient, error: unknown, state: TransactionState): Promise<StoreFault> => {
  if (isConnectionFault(error)) {
    state.broken = error instanceof Error ? error : new Error(String(error));
    return new StoreFault(state.isCommitting ? 'unknown' : 'down', error);
  }
  // Also after a refused commit, which has rolled back already: then this does nothing.
  await client.query('rollback').catch((reason: unknown) => {
    state.broken = reason instanceof Error ? reason : new Error(String(reason));
  });
  return new StoreFault('failed', error);
};
