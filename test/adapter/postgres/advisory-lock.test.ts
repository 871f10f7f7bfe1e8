import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { AdvisoryLock } from '../../../server/adapter/postgres/advisory-lock.ts';
import { ManualClock } from '../../../server/timer/manual-clock.ts';
import { createDatabase, type Database } from '../../support/postgres-server.ts';

let database: Database;
let pool: Pool;
beforeAll(async () => {
  database = await createDatabase(inject('postgresUrl'));
  pool = new Pool({ connectionString: database.url });
  pool.on('error', () => undefined);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const sessions = async (query: string): Promise<readonly { pid: number }[]> =>
  (await pool.query('select pid from pg_stat_activity where datname = current_database() and query = $1', [query]))
    .rows;

describe('the right of one process', () => {
  it('is with one at a time, and free after the release', async () => {
    const [mine, yours] = [new AdvisoryLock({ pool, name: 'a' }), new AdvisoryLock({ pool, name: 'a' })];
    expect(await mine.tryHold()).toBe(true);
    expect(await yours.tryHold()).toBe(false);
    await mine.release();
    await vi.waitFor(async () => expect(await yours.tryHold()).toBe(true));
    await yours.release();
  });

  it('is limited to six silent seconds, and renewed every two by a process that lives', async () => {
    const clock = new ManualClock(0);
    const lock = new AdvisoryLock({ pool, name: 'b', clock });
    await lock.tryHold();
    expect(await sessions('set idle_session_timeout = 6000')).toHaveLength(1);
    clock.advance(2000);
    await vi.waitFor(async () => expect(await sessions('select 1')).toHaveLength(1));
    await lock.release();
  });

  it('goes to another when the server ended the session, and comes back after that', async () => {
    const lock = new AdvisoryLock({ pool, name: 'c', clock: new ManualClock(0) });
    const other = new AdvisoryLock({ pool, name: 'c' });
    await lock.tryHold();
    const [session] = await sessions('set idle_session_timeout = 6000');
    await pool.query('select pg_terminate_backend($1)', [session?.pid]);
    await vi.waitFor(async () => expect(await other.tryHold()).toBe(true));
    expect(await lock.tryHold()).toBe(false);
    await other.release();
    await vi.waitFor(async () => expect(await lock.tryHold()).toBe(true));
    await lock.release();
  });
});
