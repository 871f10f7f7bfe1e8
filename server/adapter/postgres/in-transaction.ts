import type { Pool, PoolClient } from 'pg';
import { limits } from '../../settings/config.ts';
import { steppedTransaction } from './stepped-transaction.ts';
import { beginWithin } from './transaction-limits.ts';

/** Begins a transaction of the timers, with its limits. */
export const BEGIN = beginWithin(limits.transaction);

/**
 * Runs `work` in a transaction of its own: commits when it returns, rolls back and rethrows when it throws. Time-outs
 * are set inside it, so that they hold on a pool of somebody else's too. `work` also gets what `begin` returned.
 */
export const inTransaction = <Result>(
  pool: Pool,
  work: (client: PoolClient, begun: unknown) => Promise<Result>,
  begin: string = BEGIN,
): Promise<Result> =>
  steppedTransaction({ pool, begin, work: async (client, { begin }) => work(client, await begin()) });
