import { Pool } from 'pg';
import { timerCommandTable } from '../../../server/adapter/postgres/schema/tables/timer-command-table.ts';
import { timerDueTable } from '../../../server/adapter/postgres/schema/tables/timer-due-table.ts';
import { timerIndexCare, timerIndexTable } from '../../../server/adapter/postgres/schema/tables/timer-index-table.ts';
import { timerRecurrence, timerTable, timerTurns } from '../../../server/adapter/postgres/schema/tables/timer-table.ts';
import { createFromTemplate } from './postgres-server.ts';

const hostPool = (url: string): Pool => new Pool({ connectionString: url, max: 8 });

const makeTables = async (url: string): Promise<void> => {
  const pool = hostPool(url);
  await pool.query(
    `create schema kibble; ${timerTable('kibble')} ${timerTurns('kibble')} ${timerDueTable('kibble')}
     ${timerRecurrence('kibble')} ${timerIndexTable('kibble')} ${timerIndexCare('kibble')}
     ${timerCommandTable('kibble')}`,
  );
  await pool.end();
};

/** An empty database with the timer tables in the schema `kibble`, and a pool on it: as a host has it, unless said otherwise. */
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
