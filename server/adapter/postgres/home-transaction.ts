import type { Pool, PoolClient } from 'pg';
import { StoreFault } from '../../home/store-fault.ts';
import { inOrder } from './statement.ts';
import { beginWithin, type TransactionLimits } from './transaction-limits.ts';
import { isConnectionFault } from './world-fault.ts';

/** A statement that is sent when called. */
export type Step = () => Promise<unknown>;

/** Reads what it needs, `begin` being its first statement, and answers the writes. */
export type Work = (client: PoolClient, begin: Step) => Promise<readonly Step[]>;

/**
 * One transaction: `work` reads and answers what to write. It begins in the round trip of the first read and is
 * committed in that of the writes. Time-outs are set inside it, so that they hold on a pool of somebody else's too.
 * Throws a `StoreFault`.
 */
export const homeTransaction = async (pool: Pool, limits: TransactionLimits, work: Work): Promise<void> => {
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

/** Every statement looks up a few hundred rows at most by their keys, and is planned once, also on tables that are still empty. */
const PLANS = [
  'enable_seqscan = off',
  'enable_hashjoin = off',
  'enable_mergejoin = off',
  'plan_cache_mode = force_generic_plan',
]
  .map((setting) => `set local ${setting}`)
  .join('; ');

interface TransactionState {
  isCommitting: boolean;
  broken: Error | undefined;
}

const transact = async (
  client: PoolClient,
  limits: TransactionLimits,
  work: Work,
  state: TransactionState,
): Promise<void> => {
  const writes = await work(client, () => client.query(`${beginWithin(limits)}; ${PLANS}`));
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
