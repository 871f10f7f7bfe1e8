import { Pool } from 'pg';
import { timerTable } from '../../server/adapter/postgres/migrations/timer-table.ts';
import { createDatabase } from './postgres-server.ts';

/** An empty database with the timer table in the schema `kibble`. */
export const createTimerDatabase = async (serverUrl: string) => {
  const { url, drop } = await createDatabase(serverUrl);
  const pool = new Pool({ connectionString: url, max: 8 });
  pool.on('error', () => undefined);
  await pool.query(`create schema kibble; ${timerTable('kibble')}`);
  const dispose = async (): Promise<void> => {
    await pool.end();
    await drop();
  };
  return { pool, schema: 'kibble', dispose };
};
