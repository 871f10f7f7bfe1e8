import { inject } from 'vitest';
import { PostgresTimerStore } from '../../server/adapter/postgres/timer-store.ts';
import { createTimerDatabase } from '../support/timer-database.ts';
import { timerStoreContract } from './timer-store.ts';

timerStoreContract('Postgres', async (nowMs) => {
  const { pool, schema, dispose } = await createTimerDatabase(inject('postgresUrl'));
  return { store: new PostgresTimerStore({ pool, schema, nowMs }), dispose };
});
