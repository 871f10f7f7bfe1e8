import { expect, inject, it } from 'vitest';
import { inTransaction } from '../../../server/adapter/postgres/in-transaction.ts';
import { createTimerDatabase } from '../../support/timer-database.ts';

it('does not take for committed what the database rolled back, because somebody kept an error to himself', async () => {
  const { pool, dispose } = await createTimerDatabase(inject('postgresUrl'));
  const working = inTransaction(pool, async (tx) => {
    await tx.query('create table made (id int)');
    await tx.query('select from nowhere').catch(() => undefined);
  });
  await expect(working).rejects.toThrow('nothing is committed (ROLLBACK)');
  expect((await pool.query("select to_regclass('made') as made")).rows).toEqual([{ made: null }]);
  expect(await inTransaction(pool, async (tx) => (await tx.query('select 1 as one')).rows)).toEqual([{ one: 1 }]);
  await dispose();
});
