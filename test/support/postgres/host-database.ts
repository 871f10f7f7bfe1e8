import { Pool } from 'pg';
import { inject, onTestFinished } from 'vitest';
import { createDatabase, type TestDatabase } from './postgres-server.ts';

/**
 * An empty database and a pool on it, as a game brings them; with `migratedDatabase`, as after its first boot. Both end
 * with the test, after what the test opened later.
 */
export const hostDatabase = async (max = 8, make: (serverUrl: string) => Promise<TestDatabase> = createDatabase) => {
  const { url, drop } = await make(inject('postgresUrl'));
  const pool = new Pool({ connectionString: url, max });
  pool.on('error', () => undefined);
  onTestFinished(async () => {
    await pool.end();
    await drop();
  });
  return { url, pool };
};
