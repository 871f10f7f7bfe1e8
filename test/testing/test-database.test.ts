import { readdirSync } from 'node:fs';
import os from 'node:os';
import { Pool } from 'pg';
import { expect, it } from 'vitest';
import { createTimers } from '../../server/timers.ts';
import { ManualClock, startTestDatabase } from '../../testing/testing.ts';

it('gives a game’s own tests a Postgres, on which timers fire by a manual clock, and leaves its tables to it and nothing behind', async () => {
  const database = await startTestDatabase();
  const pool = new Pool({ connectionString: database.url });
  const folders = () => readdirSync(os.tmpdir()).filter((name) => name.startsWith(`kibble-test-${process.pid}-`));
  expect(folders()).toHaveLength(1);
  const clock = new ManualClock(1_800_000_000_000);
  const fired: string[] = [];
  const fire = async (due: readonly { readonly subject: string }[]) => {
    fired.push(...due.map(({ subject }) => subject));
    return undefined;
  };
  const { timers, lifecycle, runDue } = createTimers({ pool, clock, kinds: [{ kind: 'bake', fire }] });
  await lifecycle.boot();
  // Kibble has a table of this name as well, in its schema.
  await pool.query('create table item (hero text not null)');
  expect((await pool.query('select hero from item')).rows).toEqual([]);
  await timers.schedule([{ kind: 'bake', owner: 'ann', subject: 'bread', dueAtMs: clock.nowMs() + 3_600_000 }]);
  clock.advance(3_599_999);
  await runDue();
  expect(fired).toEqual([]);
  clock.advance(1);
  await runDue();
  expect(fired).toEqual(['bread']);

  await lifecycle.shutdown();
  await pool.end();
  await database.stop();
  expect(folders()).toEqual([]);
});
