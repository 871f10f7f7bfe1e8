import { expect, inject, it } from 'vitest';
import { Database } from '../../../../server/adapter/postgres/database.ts';
import { PostgresTimerStore } from '../../../../server/adapter/postgres/timer/timer-store.ts';
import { createTimerDatabase } from '../../../support/postgres/timer-database.ts';

const HELD_MS = 1_790_000_000_000;

it('claims from the time that is held, and tells the guard nothing of it, which would end the hold', async () => {
  const { pool, schema, dispose } = await createTimerDatabase(inject('postgresUrl'));
  const told: number[] = [];
  const time = { reading: () => (databaseMs: number) => told.push(databaseMs), heldMs: HELD_MS };
  const store = new PostgresTimerStore(new Database({ pool, schema, time }));
  const [scheduled] = await store.schedule([{ kind: 'refund', subject: 'a', owner: 'ann', dueAtMs: HELD_MS }]);
  const timerId = scheduled?.timer.id ?? '';
  const { timers, nowMs } = await store.defer([{ timerId, revision: 1, byMs: 15_000, claims: 1 }]);
  expect({ nowMs, fireAtMs: timers[0]?.fireAtMs }).toEqual({ nowMs: HELD_MS, fireAtMs: HELD_MS + 15_000 });
  expect(told).toEqual([]);
  await dispose();
});
