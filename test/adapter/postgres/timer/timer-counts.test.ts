import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { Database } from '../../../../server/adapter/postgres/database.ts';
import { PostgresTimerCounts } from '../../../../server/adapter/postgres/timer/timer-counts.ts';
import { PostgresTimerStore } from '../../../../server/adapter/postgres/timer/timer-store.ts';
import { createTimerDatabase } from '../../../support/postgres/timer-database.ts';

let database: Awaited<ReturnType<typeof createTimerDatabase>>;
let store: PostgresTimerStore;
let counts: PostgresTimerCounts;

beforeEach(async () => {
  database = await createTimerDatabase(inject('postgresUrl'));
  store = new PostgresTimerStore(new Database(database));
  counts = new PostgresTimerCounts(new Database(database));
});
afterEach(() => database.dispose());

const schedule = async (subject: string, inMs: number) => {
  const dueAtMs = (await store.nowMs()) + inMs;
  const [outcome] = await store.schedule([{ kind: 'order', subject, owner: 'ann', dueAtMs }]);
  if (!outcome) throw new Error('no outcome');
  return outcome.timer;
};

it('finds nothing in an empty table', async () => {
  expect(await counts.pending()).toBe(0);
  expect(await counts.overdue()).toEqual({ count: 0, oldestMs: 0 });
  expect(await counts.failing()).toEqual([]);
});

it('counts scheduled rows, and says how long the oldest overdue one has been', async () => {
  await schedule('later', 3_600_000);
  await schedule('late', -60_000);
  await schedule('later-than-that', -1000);

  expect(await counts.pending()).toBe(3);
  const { count, oldestMs } = await counts.overdue();
  expect(count).toBe(2);
  expect(oldestMs).toBeGreaterThanOrEqual(60_000);
});

it('does not call a timer overdue that waits for its next attempt', async () => {
  const { id, revision } = await schedule('failed', -60_000);
  const fireAtMs = (await store.nowMs()) + 60_000;
  await store.save([{ timerId: id, revision, state: 'scheduled', fireAtMs, attempt: 1 }]);

  expect(await counts.overdue()).toEqual({ count: 0, oldestMs: 0 });
  expect(await counts.failing()).toEqual([{ kind: 'order', state: 'scheduled', count: 1 }]);
});

it('counts the dead by kind', async () => {
  for (const subject of ['a', 'b']) {
    const { id, revision, fireAtMs } = await schedule(subject, 0);
    await store.save([{ timerId: id, revision, state: 'dead', fireAtMs, attempt: 16 }]);
  }

  expect(await counts.failing()).toEqual([{ kind: 'order', state: 'dead', count: 2 }]);
  expect(await counts.pending()).toBe(0);
});

describe('of things', () => {
  const thing = (owner: string, inMs: number) => `('${owner}', 'pets', 'pet', 1, '{}', ${atMs + inMs}, 1)`;
  let atMs = 0;
  beforeEach(async () => {
    atMs = await store.nowMs();
    await store.registerKinds([{ kind: 'feeding', retentionMs: undefined, module: 'pets' }]);
    await database.pool.query(`insert into kibble.thing (player_id, module, thing_id, version, state, due_at, due_since)
      values ${thing('ann', -60_000)}, ${thing('bob', -90_000)}, ${thing('cleo', 3_600_000)}`);
  });

  it('counts those that wait and those that are late, beside those of own kinds', async () => {
    await schedule('late', -30_000);
    expect(await counts.pending()).toBe(4);
    const { count, oldestMs } = await counts.overdue();
    expect(count).toBe(3);
    expect(oldestMs).toBeGreaterThanOrEqual(90_000);
  });

  it('calls those of a home on hold stuck where it failed, and late only after its time', async () => {
    await store.hold([
      { owner: 'bob', untilMs: atMs + 60_000, attempt: 1, lastError: 'no' },
      { owner: 'ann', untilMs: atMs - 20_000, attempt: 0 },
    ]);
    expect(await counts.failing()).toEqual([{ kind: 'feeding', state: 'scheduled', count: 1 }]);
    const { count, oldestMs } = await counts.overdue();
    expect(count).toBe(1);
    expect(oldestMs).toBeGreaterThanOrEqual(20_000);
    expect(oldestMs).toBeLessThan(60_000);
  });

  it('counts none of a retired module', async () => {
    await store.hold([{ owner: 'bob', untilMs: atMs, attempt: 1, lastError: 'no' }]);
    await store.registerKinds([{ kind: 'feeding', retentionMs: undefined, module: 'pets', isRetired: true }]);
    await schedule('later', 3_600_000);
    expect(await counts.pending()).toBe(1);
    expect(await counts.overdue()).toEqual({ count: 0, oldestMs: 0 });
    expect(await counts.failing()).toEqual([]);
  });
});
