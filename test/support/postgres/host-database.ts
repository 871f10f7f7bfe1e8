import { Pool } from 'pg';
import { inject, onTestFinished } from 'vitest';
import { createDatabase } from './postgres-server.ts';

/** An empty database and a pool on it, as a game brings them. Both end with the test, after what the test opened later. */
export const hostDatabase = async (max = 8) => {
  const { url, drop } = await createDatabase(inject('postgresUrl'));
  const pool = new Pool({ connectionString: url, max });
  pool.on('error', () => undefined);
  onTestFinished(async () => {
    await pool.end();
    await drop();
  });
  return { url, pool };
};
