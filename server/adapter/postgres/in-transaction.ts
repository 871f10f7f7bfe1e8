import type { Pool, PoolClient } from 'pg';

/**
 * Runs `work` in a transaction of its own: commits when it returns, rolls back and rethrows when it throws. `begin` may
 * set more than the default.
 */
export const inTransaction = async <Answer>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Answer>,
  begin = 'begin',
): Promise<Answer> => {
  const client = await pool.connect();
  // Without a listener, a server that dies between two statements would end the process.
  const ignore = (): void => undefined;
  client.on('error', ignore);
  let broken: Error | undefined;
  try {
    await client.query(begin);
    const answer = await work(client);
    await client.query('commit');
    return answer;
  } catch (error) {
    await client.query('rollback').catch((reason: Error) => {
      broken = reason;
    });
    throw error;
  } finally {
    client.off('error', ignore);
    client.release(broken);
  }
};
