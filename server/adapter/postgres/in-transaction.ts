import type { Pool, PoolClient } from 'pg';
import { limits } from '../../config.ts';
import { beginWithin } from './transaction-limits.ts';
import { isConnectionFault } from './world-fault.ts';

/**
 * Runs `work` in a transaction of its own: commits when it returns, rolls back and rethrows when it throws. Time-outs
 * are set inside it, so that they hold on a pool of somebody else's too.
 */
export const inTransaction = async <Answer>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Answer>,
): Promise<Answer> => {
  const client = await pool.connect();
  // Without a listener, a server that dies between two statements would end the process.
  const ignore = (): void => undefined;
  client.on('error', ignore);
  let broken: Error | undefined;
  try {
    await client.query(BEGIN);
    const answer = await work(client);
    await client.query('commit');
    return answer;
  } catch (error) {
    // Over a connection that is lost nothing would be answered.
    if (isConnectionFault(error)) broken = error instanceof Error ? error : new Error(String(error));
    else {
      await client.query('rollback').catch((reason: Error) => {
        broken = reason;
      });
    }
    throw error;
  } finally {
    client.off('error', ignore);
    client.release(broken);
  }
};

const BEGIN = beginWithin(limits.transaction);
