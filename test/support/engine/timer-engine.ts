import { inject } from 'vitest';
import { MemoryDueIndex } from '../../../server/adapter/memory/memory-due-index.ts';
import { Database } from '../../../server/adapter/postgres/database.ts';
import { PostgresTimerStore } from '../../../server/adapter/postgres/timer/timer-store.ts';
import { alwaysExclusive } from '../../../server/runtime/exclusive.ts';
import { ManualClock } from '../../../server/runtime/manual-clock.ts';
import type { DueIndex } from '../../../server/timer/index/due-index.ts';
import type { EngineMeasurement } from '../../../server/timer/model/engine-event.ts';
import type { TimerStore } from '../../../server/timer/model/timer-store.ts';
import { TimerEngine } from '../../../server/timer/timer-engine.ts';
import { FakeTimerStore } from '../fake-database/fake-timer-store.ts';
import { silentLog } from '../log/logs.ts';
import { thingChanges } from '../postgres/thing-changes.ts';
import { createTimerDatabase } from '../postgres/timer-database.ts';
import { startRedisIndex } from './due-index.ts';

export const NOW_MS = 1_790_000_000_000;

/** The engine's store is replaced by this. */
type Sabotage = (store: TimerStore) => TimerStore;

/** An engine on a real Postgres, a wheel and a clock that stands still. */
export const makeEngine = async (sabotage?: Sabotage) => {
  const { pool, schema, dispose } = await createTimerDatabase(inject('postgresUrl'));
  const clock = new ManualClock(NOW_MS);
  const store = new PostgresTimerStore(new Database({ pool, schema, nowMs: clock.nowMs }));
  await pool.query('create table effect (timer bigint, at bigint)');
  const changeThings = thingChanges({ pool, schema, nowMs: clock.nowMs });
  const under = engineOn(sabotage?.(store) ?? store, clock, new MemoryDueIndex(clock));
  return { store, pool, dispose, clock, changeThings, ...under };
};

/** The same with the index in Redis. */
export const makeRedisEngine = async () => {
  const redis = await startRedisIndex({ url: inject('redisUrl') });
  const { pool, schema, dispose } = await createTimerDatabase(inject('postgresUrl'));
  const clock = new ManualClock(NOW_MS);
  const store = new PostgresTimerStore(new Database({ pool, schema, nowMs: clock.nowMs }));
  const disposeAll = async (): Promise<void> => {
    await redis.dispose();
    await dispose();
  };
  const changeThings = thingChanges({ pool, schema, nowMs: clock.nowMs });
  return { store, dispose: disposeAll, clock, changeThings, ...engineOn(store, clock, redis.index) };
};

/** The same on rows in memory: quick, without SQL. */
export const makeMemoryEngine = async (sabotage?: Sabotage) => {
  const clock = new ManualClock(NOW_MS);
  const store = new FakeTimerStore(clock.nowMs);
  const dispose = async (): Promise<void> => undefined;
  return { store, dispose, clock, ...engineOn(sabotage?.(store) ?? store, clock, new MemoryDueIndex(clock)) };
};

/** An engine on rows and an index that are there. */
export const engineOn = <Index extends DueIndex>(store: TimerStore, clock: ManualClock, index: Index) => {
  const events: EngineMeasurement[] = [];
  const engine = new TimerEngine({
    store,
    index,
    clock,
    log: silentLog,
    exclusive: alwaysExclusive,
    retentionMs: 1000,
    observe: (event) => events.push(event),
  });
  return { engine, timers: engine.timers, index, events };
};

export type EngineUnderTest = Awaited<ReturnType<typeof makeEngine>>;

/** A handler's effect: committed with the timer's state, or not at all. */
export const recordEffects = async (
  timers: readonly { readonly id: string }[],
  tx: { query(text: string, values?: unknown[]): Promise<unknown> },
  nowMs: number,
): Promise<undefined> => {
  await tx.query('insert into effect select unnest($1::bigint[]), $2', [timers.map(({ id }) => id), nowMs]);
  return undefined;
};
