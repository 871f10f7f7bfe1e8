import { Pool, type PoolClient } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { AdvisoryLock } from '../../../server/adapter/postgres/advisory-lock.ts';
import { ManualClock } from '../../../server/runtime/manual-clock.ts';
import { silentNetwork } from '../../support/machine/relay.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres/postgres-server.ts';

let database: TestDatabase;
let pool: Pool;
const locks: AdvisoryLock[] = [];

type LockOptions = Partial<ConstructorParameters<typeof AdvisoryLock>[0]>;
const lockOf = (name: string, options: LockOptions = {}): AdvisoryLock => {
  const lock = new AdvisoryLock({ pool, name, clock: new ManualClock(0), ...options });
  locks.push(lock);
  return lock;
};
const poolOf = (connectionString: string): Pool => new Pool({ connectionString }).on('error', () => undefined);

beforeAll(async () => {
  database = await createDatabase(inject('postgresUrl'));
  pool = poolOf(database.url);
});
// A pool does not end while a lock has one of its connections, also one of a test that failed.
afterEach(() => Promise.all(locks.splice(0).map((lock) => lock.release())));
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** The connection that a lock takes to hold by. */
const taking = async (lock: AdvisoryLock, from = pool) => {
  const taken = new Promise<PoolClient>((resolve) => from.once('acquire', resolve));
  const held = lock.tryLock();
  const client = await taken;
  const asked = vi.spyOn(client, 'query');
  const ended = new Promise<void>((resolve) => client.once('end', resolve));
  expect(await held).toBe(true);
  const setting = async (name: string): Promise<unknown> =>
    (await client.query('select current_setting($1) as value', [name])).rows[0]?.value;
  /** How many statements it was asked, all of them answered. */
  const answered = async (): Promise<number> =>
    (await Promise.all(asked.mock.results.map(({ value }) => value))).length;
  return { ended, setting, answered };
};

const endSession = (lock: AdvisoryLock) => pool.query('select pg_terminate_backend($1)', [lock.backend]);

describe('the right of one process', () => {
  it('is with one at a time, and free after the release', async () => {
    const [mine, yours] = [lockOf('a'), lockOf('a')];
    expect(await mine.tryLock()).toBe(true);
    expect(await yours.tryLock()).toBe(false);
    await mine.release();
    await expect.poll(() => yours.tryLock()).toBe(true);
  });

  it('is limited to six silent seconds, and renewed every two by a process that lives', async () => {
    const clock = new ManualClock(0);
    const lock = lockOf('b', { clock });
    const { answered, setting } = await taking(lock);
    expect(await setting('idle_session_timeout')).toBe('6s');
    const { backend } = lock;
    const before = await answered();
    for (let beats = 1; beats <= 4; beats += 1) {
      clock.advance(2000);
      expect(await answered()).toBe(before + beats);
    }
    expect(await lock.tryLock()).toBe(true);
    expect(lock.backend).toBe(backend);
  });

  it('goes to another when the server ended the session, which the holder hears at once, and comes back after that', async () => {
    const onLost = vi.fn();
    const [lock, other] = [lockOf('c', { onLost }), lockOf('c')];
    const { ended } = await taking(lock);
    await endSession(lock);
    await ended;
    expect(onLost).toHaveBeenCalledOnce();
    await expect.poll(() => other.tryLock()).toBe(true);
    expect(await lock.tryLock()).toBe(false);
    await other.release();
    await expect.poll(() => lock.tryLock()).toBe(true);
    await lock.release();
    expect(onLost).toHaveBeenCalledOnce();
  });

  it('that shares is with many, but with none while one has it alone', async () => {
    const [mine, yours] = [lockOf('f', { isShared: true }), lockOf('f', { isShared: true })];
    const alone = lockOf('f');
    expect([await mine.tryLock(), await yours.tryLock(), await alone.tryLock()]).toEqual([true, true, false]);
    await Promise.all([mine.release(), yours.release()]);
    await expect.poll(() => alone.tryLock()).toBe(true);
    expect(await mine.tryLock()).toBe(false);
  });

  it('of a machine that died without a word is free when it was silent for so long', async () => {
    const network = await silentNetwork(database.url);
    onTestFinished(() => network.stop());
    const dead = poolOf(network.url);
    onTestFinished(() => dead.end());
    const [lock, other] = [lockOf('g', { pool: dead, silentMs: 1500 }), lockOf('g')];
    await lock.tryLock();
    network.fallSilent();
    expect(await other.tryLock()).toBe(false);
    await vi.waitFor(async () => expect(await other.tryLock()).toBe(true), { timeout: 5000, interval: 100 });
  });

  it('is given up by a holder that has heard nothing for six seconds: its session may be gone without a word', async () => {
    const network = await silentNetwork(database.url);
    onTestFinished(() => network.stop());
    const cutOff = poolOf(network.url);
    onTestFinished(() => cutOff.end());
    const clock = new ManualClock(0);
    const [lock, other] = [lockOf('d', { clock, pool: cutOff }), lockOf('d')];
    await lock.tryLock();
    network.fallSilent();
    await endSession(lock);
    await expect.poll(() => other.tryLock()).toBe(true);
    clock.advance(5999);
    expect(await lock.tryLock()).toBe(true);
    clock.advance(1);
    expect(await lock.tryLock()).toBe(false);
  });

  it('is not believed by a process that was frozen for six seconds', async () => {
    let nowMs = 0;
    const stopped = { after: () => () => undefined, monotonicMs: () => nowMs };
    const lock = lockOf('e', { clock: stopped });
    const { ended } = await taking(lock);
    nowMs = 5999;
    expect(await lock.tryLock()).toBe(true);
    nowMs = 6000;
    const again = lock.tryLock();
    // Its old session, and with it the lock.
    await ended;
    await again;
    await expect.poll(() => lock.tryLock()).toBe(true);
  });
});
