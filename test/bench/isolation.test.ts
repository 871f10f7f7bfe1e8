import { expect, inject, it } from 'vitest';
import { SCHEMA } from '../../bench/harness/stores.ts';
import { triedOf } from '../../bench/rows/game/isolation.ts';
import { homeDatabase } from '../support/postgres/home-database.ts';
import { insertTimers } from '../support/postgres/timer-database.ts';

it('counts no timer as tried that no process has touched', async () => {
  const { pool, drop } = await homeDatabase(inject('postgresUrl'));
  const kinds = ['hanging', 'failing', 'blocking'];
  for (const kind of kinds) await pool.query(insertTimers(`select '${kind}', 'order-1', 'ann', 0::bigint`));
  expect(SCHEMA).toBe('kibble');
  expect(await triedOf(pool)).toEqual({ hanging: 0, failing: 0, blocking: 0 });
  await pool.query(
    "update kibble.timer_due set claims = 1 where id in (select id from kibble.timer where kind = 'hanging')",
  );
  expect(await triedOf(pool)).toEqual({ hanging: 1, failing: 0, blocking: 0 });
  await drop();
});
