import { expect, it } from 'vitest';
import { changesInWaves } from '../../../../server/adapter/postgres/timer/change-waves.ts';
import { scheduleTimers } from '../../../../server/adapter/postgres/timer/schedule-timers.ts';
import type { NewRow } from '../../../../server/adapter/postgres/timer/timer-row.ts';
import { newTimer } from '../../../../server/timer/model/changed-timer.ts';
import type { NewTimer, TimerChange } from '../../../../server/timer/model/timer-changes.ts';
import type { TimerStore, Tx } from '../../../../server/timer/model/timer-store.ts';
import { writesIn } from '../../../../server/timer/write/timer-transaction.ts';

/** More than a function takes as parameters. */
const MANY = 130_000;
const wanted = Array.from(
  { length: MANY },
  (_, at): NewTimer => ({ kind: 'order', subject: `s${at}`, owner: 'ann', dueAtMs: 1 }),
);
const timers = wanted.map((one, at) => newTimer(String(at), one, 1));

it('as many timers as anybody has are scheduled in one call', async () => {
  const rows = wanted.map(({ kind, subject }, id): NewRow => ({ id, kind, subject, created_at: 1 }));
  const none = async () => [];
  const statements = { mayGoOn: true, add: async () => rows, addOrMove: none, find: async () => new Map() };
  const outcomes = await scheduleTimers(wanted, statements);
  expect(outcomes).toHaveLength(MANY);
  expect(outcomes.at(-1)).toMatchObject({ outcome: 'applied', timer: { subject: `s${MANY - 1}` } });
});

it('a timer that is never written and never found is tried a few times only', async () => {
  let tries = 0;
  const none = async () => {
    tries += 1;
    return [];
  };
  const statements = { mayGoOn: true, add: none, addOrMove: none, find: async () => new Map() };
  const [one] = wanted as [NewTimer];
  for (const request of [one, { ...one, orMove: true }]) {
    tries = 0;
    await expect(scheduleTimers([request], statements)).rejects.toMatchObject({ code: 'timer/locked' });
    expect(tries).toBe(20);
  }
});

it('and as many are changed', async () => {
  const changes = timers.map(({ id }): TimerChange => ({ target: { timerId: id }, change: 'pause' }));
  const unasked = async (): Promise<never> => Promise.reject(new Error('nothing else is asked'));
  const statements = { mayGoOn: true, byKey: unasked, find: unasked, revive: unasked };
  const outcomes = await changesInWaves(changes, { ...statements, byId: async () => timers });
  expect(outcomes).toHaveLength(MANY);
});

it('and as many are written in one transaction', async () => {
  const applied = timers.map((timer) => ({ outcome: 'applied', timer }) as const);
  const store = { schedule: async () => applied, change: async () => applied, changeByOwner: async () => timers };
  const written: typeof timers = [];
  const writes = writesIn({ store: store as never as TimerStore, tx: {} as Tx, written });
  await writes.schedule(wanted);
  await writes.change([]);
  await writes.changeByOwner({ owners: ['ann'], change: 'cancel' });
  expect(written).toHaveLength(3 * MANY);
});
