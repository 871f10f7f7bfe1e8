import { afterEach, beforeEach, expect, inject, it, vi } from 'vitest';
import { MemoryDueIndex } from '../../../server/adapter/memory/memory-due-index.ts';
import { Database } from '../../../server/adapter/postgres/database.ts';
import { PostgresTimerStore } from '../../../server/adapter/postgres/timer/timer-store.ts';
import { ManualClock } from '../../../server/runtime/manual-clock.ts';
import { OwnGenerations } from '../../../server/timer/index/generation.ts';
import { GenerationWatch } from '../../../server/timer/index/generation-watch.ts';
import { Rebuilder } from '../../../server/timer/index/rebuilder.ts';
import type { EngineEvent } from '../../../server/timer/model/engine-event.ts';
import { countOf } from '../../support/engine/count-of.ts';
import { silentLog } from '../../support/log/silent-log.ts';
import { createTimerDatabase } from '../../support/postgres/timer-database.ts';
import { insertTimers } from '../../support/postgres/timer-rows.ts';

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
  const events: EngineEvent[] = [];
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
