import type { Pool } from 'pg';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { Database } from '../../../../server/adapter/postgres/database.ts';
import { createPool } from '../../../../server/adapter/postgres/pool.ts';
import { PostgresTimerStore } from '../../../../server/adapter/postgres/timer/timer-store.ts';
import type { Timer } from '../../../../server/timer/model/timer.ts';
import type { TimerUpdate } from '../../../../server/timer/model/timer-store.ts';
import { silentLog } from '../../../support/log/logs.ts';
import { createTimerDatabase } from '../../../support/postgres/timer-database.ts';

const PLANNING = `select current_setting('plan_cache_mode') as plans, current_setting('enable_seqscan') as scans,
  current_setting('enable_hashjoin') as hashes, current_setting('enable_mergejoin') as merges`;
const AS_USUAL = [{ plans: 'auto', scans: 'on', hashes: 'on', merges: 'on' }];

const completed = ({ id: timerId, revision, fireAtMs, attempt }: Timer): TimerUpdate => ({
  timerId,
  revision,
  fireAtMs,
  attempt,
  state: 'completed',
});

let dispose: () => Promise<void>;
afterEach(() => dispose());

/** Fires one timer; answers what was said to Postgres meanwhile, and how the handler's statements were planned. */
const fireOn = async (open?: (url: string) => Pool, update: (timer: Timer) => TimerUpdate = completed) => {
  const database = await createTimerDatabase(inject('postgresUrl'), open);
  dispose = database.dispose;
  const store = new PostgresTimerStore(new Database(database));
  const wanted = { kind: 'order', subject: 'a', owner: 'ann', dueAtMs: 1 };
  const seen = (await store.schedule([wanted])).flatMap((one) => one?.timer ?? []);
  const said: string[] = [];
  database.pool.on('acquire', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    Object.assign(client, {
      query: (what: string | { name?: string; text: string }, ...more: unknown[]) => {
        const { name, text }: { name?: string; text: string } = typeof what === 'string' ? { text: what } : what;
        // A statement that this process prepared again has a number behind its name.
        said.push(name?.replace(/~\d+$/, '') ?? text.split(/[ ;]/)[0] ?? '');
        return query(what, ...more);
      },
    });
  });
  let planning: unknown[] = [];
  await store.fire(seen, async (tx, { timers }) => {
    planning = (await tx.query(PLANNING)).rows;
    return timers.map(update);
  });
  const [after] = await store.find([{ kind: 'order', subject: 'a' }]);
  return { said, planning, after };
};

describe('a fire', () => {
  it("has the handler's statements planned as usual", async () => {
    const { planning } = await fireOn((url) => createPool({ url, max: 2, log: silentLog }));
    expect(planning).toEqual(AS_USUAL);
  });

  it("says on a host's pool that does not pipeline no more than it must", async () => {
    const { said, planning, after } = await fireOn();
    expect(after?.state).toBe('completed');
    expect(said.slice(0, 5)).toEqual(['begin', 'kibble.timer.lock', 'select', 'kibble.timer.save', 'commit']);
    expect(planning).toEqual(AS_USUAL);
  });

  it('says no more where its timer comes again', async () => {
    const again = (timer: Timer): TimerUpdate => ({
      ...completed(timer),
      state: 'scheduled',
      again: { dueAtMs: 7, turn: 2 },
    });
    const { said, after } = await fireOn(undefined, again);
    expect(after).toMatchObject({ state: 'scheduled', turn: 2, dueAtMs: 7 });
    expect(said.slice(0, 5)).toEqual(['begin', 'kibble.timer.lock', 'select', 'kibble.timer.save', 'commit']);
  });
});

const HELD_MS = 1_790_000_000_000;

it('claims from the time that is held, and tells the guard nothing of it, which would end the hold', async () => {
  const database = await createTimerDatabase(inject('postgresUrl'));
  dispose = database.dispose;
  const told: number[] = [];
  const time = { reading: () => (databaseMs: number) => told.push(databaseMs), heldMs: HELD_MS };
  const store = new PostgresTimerStore(new Database({ ...database, time }));
  const [scheduled] = await store.schedule([{ kind: 'refund', subject: 'a', owner: 'ann', dueAtMs: HELD_MS }]);
  const timerId = scheduled?.timer.id ?? '';
  const { timers, nowMs } = await store.defer([{ timerId, revision: 1, byMs: 15_000, claims: 1 }]);
  expect({ nowMs, fireAtMs: timers[0]?.fireAtMs }).toEqual({ nowMs: HELD_MS, fireAtMs: HELD_MS + 15_000 });
  expect(told).toEqual([]);
});
