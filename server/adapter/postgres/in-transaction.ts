import type { Pool, PoolClient } from 'pg';
import { limits } from '../../config.ts';
import { steppedTransaction } from './stepped-transaction.ts';
import { beginWithin } from './transaction-limits.ts';

/** Begins a transaction of the timers, with its limits. */
export const BEGIN = beginWithin(limits.transaction);

/**
 * Runs `work` in a transaction of its own: commits when it returns, rolls back and rethrows when it throws. Time-outs
 * are set inside it, so that they hold on a pool of somebody else's too.
 */
export const inTransaction = async <Answer>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Answer>,
): Promise<Answer> => {
  let answer!: Answer;
  await steppedTransaction({
    pool,
    begin: BEGIN,
    work: async (client, begin) => {
      await begin();
      answer = await work(client);
      return [];
    },
  });
  return answer;
};
