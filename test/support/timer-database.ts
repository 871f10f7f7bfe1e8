import { Pool } from 'pg';
import { timerIndexCare, timerIndexTable } from '../../server/adapter/postgres/migrations/timer-index-table.ts';
import { timerTable, timerTurns } from '../../server/adapter/postgres/migrations/timer-table.ts';
import { createDatabase } from './postgres-server.ts';

const hostPool = (url: string): Pool => new Pool({ connectionString: url, max: 8 });

/** An empty database with the timer table in the schema `kibble`, and a pool on it: as a host has it, unless said otherwise. */
export const createTimerDatabase = async (serverUrl: string, open = hostPool) => {
  const { url, drop } = await createDatabase(serverUrl);
  const pool = open(url);
  pool.on('error', () => undefined);
  await pool.query(
    `create schema kibble; ${timerTable('kibble')} ${timerTurns('kibble')} ${timerIndexTable('kibble')} ${timerIndexCare('kibble')}`,
  );
  const dispose = async (): Promise<void> => {
    await pool.end();
    await drop();
  };
  return { pool, schema: 'kibble', dispose };
};
