import { expect, inject, it } from 'vitest';
import { Database } from '../../../server/adapter/postgres/database.ts';
import { PostgresTimerStore } from '../../../server/adapter/postgres/timer/timer-store.ts';
import { createTimerDatabase } from '../../support/postgres/timer-database.ts';

it("has the time-outs in a timer's transaction on a host's pool, and not behind it", async () => {
  const { pool, schema, dispose } = await createTimerDatabase(inject('postgresUrl'));
  const store = new PostgresTimerStore(new Database({ pool, schema }));
  const settings = `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
    current_setting('idle_in_transaction_session_timeout') as idle`;
  const { rows } = await store.transaction((tx) => tx.query(settings));
  expect(rows).toEqual([{ statement: '3s', lock: '1s', idle: '2s' }]);
  expect((await pool.query(settings)).rows).toEqual([{ statement: '0', lock: '0', idle: '0' }]);
  await dispose();
});
