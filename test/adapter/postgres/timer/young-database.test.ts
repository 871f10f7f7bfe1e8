import { expect, inject, it, onTestFinished } from 'vitest';
import { derivedSql } from '../../../../server/adapter/postgres/timer/derived-sql.ts';
import { homeDatabase } from '../../../support/postgres/home-database.ts';

it('finds timers of things by their keys, also while the planner knows of no rows', async () => {
  const database = await homeDatabase(inject('postgresUrl'));
  onTestFinished(() => database.drop());
  const { rows } = await database.pool.query<{ 'QUERY PLAN': string }>(
    `explain (generic_plan) ${derivedSql('kibble')}`,
  );
  const indexes = rows.flatMap((row) => /using (timer_scheduled_\w+)/.exec(row['QUERY PLAN'])?.[1] ?? []);
  expect(indexes).toEqual(['timer_scheduled_key']);
});
