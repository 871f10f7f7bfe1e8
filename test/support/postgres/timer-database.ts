import { Pool } from 'pg';
import { createHomeTables } from '../../../server/adapter/postgres/schema/create-home-tables.ts';
import { createTimerTables } from '../../../server/adapter/postgres/schema/create-timer-tables.ts';
import { createFromTemplate } from './postgres-server.ts';

const hostPool = (url: string): Pool => new Pool({ connectionString: url, max: 8 });

const makeTables = async (url: string): Promise<void> => {
  const pool = hostPool(url);
  await pool.query(`create schema kibble; ${createHomeTables('kibble')} ${createTimerTables('kibble')}`);
  await pool.end();
};

/** An empty database with the tables of timers and homes in the schema `kibble`, and a pool on it: as a host has it, unless said otherwise. */
export const createTimerDatabase = async (serverUrl: string, open = hostPool) => {
  const { url, drop } = await createFromTemplate(serverUrl, 'timer_template', makeTables);
  const pool = open(url);
  pool.on('error', () => undefined);
  const dispose = async (): Promise<void> => {
    await pool.end();
    await drop();
  };
  return { pool, schema: 'kibble', dispose };
};
