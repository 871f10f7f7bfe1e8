import { afterEach, beforeEach, expect, inject, it, vi } from 'vitest';
import { MemoryDueIndex } from '../../../server/adapter/memory/memory-due-index.ts';
import { Database } from '../../../server/adapter/postgres/database.ts';
import { PostgresTimerStore } from '../../../server/adapter/postgres/timer/timer-store.ts';
import { ManualClock } from '../../../server/runtime/manual-clock.ts';
import { IndexUnavailable } from '../../../server/timer/index/due-index.ts';
import { type Generation, OwnGenerations } from '../../../server/timer/index/generation.ts';
import { GenerationWatch } from '../../../server/timer/index/generation-watch.ts';
import { Rebuilder } from '../../../server/timer/index/rebuilder.ts';
import type { EngineMeasurement } from '../../../server/timer/model/engine-event.ts';
import { countOf } from '../../support/engine/due-index.ts';
import { silentLog } from '../../support/log/logs.ts';
import { createTimerDatabase, insertTimers } from '../../support/postgres/timer-database.ts';

const NOW_MS = 1_790_000_000_000;
const HOUR_MS = 3_600_000;

let database: Awaited<ReturnType<typeof createTimerDatabase>>;
beforeEach(async () => {
  database = await createTimerDatabase(inject('postgresUrl'));
});
afterEach(() => database.dispose());

/**
 * Refills an empty index from so many rows, each due so long after the hour, without a process that would heal missing
 * entries.
 */
const refill = async (count: number, afterMs = 'n % 7') => {
  const { pool, schema } = database;
  await pool.query(
    insertTimers(
      `select 'order', n::text, 'player-' || n % 17, $2::bigint + ${afterMs} from generate_series(1, $1::int) n`,
    ),
    [count, NOW_MS + HOUR_MS],
  );
  const clock = new ManualClock(NOW_MS);
  const index = new MemoryDueIndex(clock);
  const put = vi.spyOn(index.orders, 'put');
  const generations = new OwnGenerations();
  const events: EngineMeasurement[] = [];
  const rebuilder = new Rebuilder({
    index,
    generations,
    clock,
    leads: async () => true,
    store: new PostgresTimerStore(new Database({ pool, schema, nowMs: clock.nowMs })),
    watch: new GenerationWatch({ generations, index, log: silentLog, onChange: () => undefined }),
    observe: (event) => events.push(event),
  });
  await rebuilder.tick();
  return { index, rebuilder, events, put };
};

it.each([0, 4999, 5000, 5001, 10_000, 12_345])('puts each of %s rows, however many pages they are', async (count) => {
  const { index, rebuilder, events } = await refill(count);
  expect(rebuilder.isNeeded).toBe(false);
  expect(await countOf(index)).toBe(count);
  expect(events).toMatchObject([{ type: 'rebuilt', count }]);
  const entries = await index.orders.between(NOW_MS, NOW_MS + 2 * HOUR_MS, count + 1);
  expect(new Set(entries.map(({ timerId }) => timerId)).size).toBe(count);
});

it('arms what is due next before anything later, whatever the order of the rows', async () => {
  const { put } = await refill(12_006, 'n * 7919 % 12007');
  const dueAtMs = put.mock.calls.flatMap(([entries]) => entries.map(({ fireAtMs }) => fireAtMs));

  expect(dueAtMs).toEqual(Array.from({ length: 12_006 }, (_, at) => NOW_MS + HOUR_MS + at + 1));
});

it('ends in an index without room for two generations, when an earlier refill broke off', async () => {
  const rows = Array.from({ length: 60 }, (_, at) => ({
    timerId: String(at),
    owner: 'ann',
    fireAtMs: at,
    revision: 1,
  }));
  const entries = new Map<number, number>([[1, 60]]);
  const past: Generation[] = [];
  let wantedShards: number | undefined = 2;
  const inUse = { number: 1, shards: 1 };
  let whole = 1;
  const used = (): number => [...entries.values()].reduce((sum, count) => sum + count, 0);
  const index = {
    isAvailable: true,
    inUse,
    orders: {
      put: async (put: readonly unknown[]) => {
        if (used() + put.length > 100) throw new IndexUnavailable(new Error('OOM'));
        entries.set(inUse.number, (entries.get(inUse.number) ?? 0) + put.length);
        return true;
      },
    },
    marks: {
      isWhole: async () => whole === inUse.number,
      retire: async () => undefined,
      begin: async () => true,
      finish: async (number: number) => {
        whole = number;
        return true;
      },
      drop: async ({ number }: Generation) => {
        const gone = entries.get(number) ?? 0;
        entries.delete(number);
        return gone;
      },
    },
  };
  const generations = {
    past: async () => past,
    startNext: async () => {
      past.push({ ...inUse });
      inUse.number += 1;
      wantedShards = undefined;
      return { ...inUse };
    },
  };
  const rebuilder = new Rebuilder({
    index: index as never,
    generations: generations as never,
    clock: new ManualClock(0),
    leads: async () => true,
    store: {
      page: async (after: unknown) => ({
        entries: rows.slice(after === undefined ? 0 : 30, after === undefined ? 30 : 60),
        next: after === undefined ? { fireAtMs: 30, timerId: '30' } : undefined,
      }),
    } as never,
    watch: { look: async () => ({ pulse: 0, wantedShards }) } as never,
    observe: () => undefined,
  });
  await expect(rebuilder.tick()).rejects.toThrow(IndexUnavailable);
  await rebuilder.tick();
  expect([rebuilder.isNeeded, [...entries]]).toEqual([false, [[3, 60]]]);
});
