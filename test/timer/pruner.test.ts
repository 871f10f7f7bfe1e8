import { expect, it } from 'vitest';
import { ManualClock } from '../../server/runtime/manual-clock.ts';
import { StoreClock } from '../../server/timer/clock/store-clock.ts';
import type { PruneQuery } from '../../server/timer/model/index-entry.ts';
import { Pruner } from '../../server/timer/pruner.ts';
import { FakeTimerStore } from '../support/fake-database/fake-timer-store.ts';

const NOW_MS = 1_790_000_000_000;
const HOUR_MS = 3_600_000;

interface State {
  isFull: boolean;
  fails: boolean;
  /** Rows read at most. */
  most: number | undefined;
  /** The store's clock goes wrong by so much. */
  aheadMs: number;
  /** Of the reads of all other kinds and of some: each second one has read all, but never both at once. */
  turns: Map<boolean, number> | undefined;
}

/** Kinds that keep their rows for a day (none of their own), an hour, and a week. */
const makeScene = async () => {
  const clock = new ManualClock(NOW_MS);
  const state: State = { isFull: false, fails: false, most: undefined, aheadMs: 0, turns: undefined };
  const store = new FakeTimerStore(() => clock.nowMs() + state.aheadMs);
  await store.registerKinds([
    { kind: 'order', retentionMs: undefined },
    { kind: 'brief', retentionMs: HOUR_MS },
    { kind: 'long', retentionMs: 7 * 24 * HOUR_MS },
  ]);
  const storeClock = new StoreClock(store, clock);
  const queries: PruneQuery[] = [];
  const others: string[] = [];
  const ages: Record<string, number> = {};
  const pruner = new Pruner({
    store: {
      retentions: () => store.retentions(),
      pruneDead: (beforeMs, limit) => {
        others.push('dead');
        ages.dead = clock.nowMs() - beforeMs;
        return store.pruneDead(beforeMs, limit);
      },
      pruneCommands: (beforeMs, limit) => {
        others.push('commands');
        ages.commands = clock.nowMs() - beforeMs;
        return store.pruneCommands(beforeMs, limit);
      },
      prune: (query) => {
        queries.push(query);
        if (query.isOfOthers && state.fails) return Promise.reject(new Error('planted'));
        const reads = state.turns?.get(query.isOfOthers) ?? 0;
        state.turns?.set(query.isOfOthers, reads + 1);
        if (state.turns)
          return Promise.resolve({ count: 0, readToMs: reads % 2 === Number(query.isOfOthers) ? query.beforeMs : 0 });
        return state.isFull
          ? Promise.resolve({ count: query.limit, readToMs: 0 })
          : store.prune({ ...query, most: state.most ?? query.most });
      },
    },
    storeClock,
    retentionMs: 24 * HOUR_MS,
    deadRetentionMs: 90 * 24 * HOUR_MS,
  });
  const finish = async (kind: string): Promise<void> => {
    const [outcome] = await store.schedule([{ kind, subject: `${kind} ${clock.nowMs()}`, owner: 'ann', dueAtMs: 0 }]);
    await store.change([{ target: { timerId: outcome?.timer.id ?? '' }, change: 'complete', result: null }]);
  };
  const tick = async (): Promise<number> => {
    await storeClock.refresh();
    return pruner.tick();
  };
  const left = async (): Promise<readonly string[]> => {
    const all = await store.find(Array.from({ length: 9 }, (_, at) => ({ timerId: String(at + 1) })));
    return all.flatMap((timer) => timer?.kind ?? []);
  };
  return { ages, clock, queries, others, state, finish, tick, left };
};

it('keeps the finished timers of each kind as long as it says, those of the others as long as the engine says', async () => {
  const { clock, finish, tick, left } = await makeScene();
  for (const kind of ['order', 'brief', 'long']) await finish(kind);
  await tick();
  expect(await left()).toEqual(['order', 'brief', 'long']);
  clock.advance(HOUR_MS + 1);
  await tick();
  expect(await left()).toEqual(['order', 'long']);
  clock.advance(23 * HOUR_MS);
  await tick();
  expect(await left()).toEqual(['long']);
  clock.advance(6 * 24 * HOUR_MS);
  await tick();
  expect(await left()).toEqual([]);
});

it('does not look again through what other kinds keep for longer', async () => {
  const { clock, queries, finish, tick } = await makeScene();
  await finish('long');
  clock.advance(48 * HOUR_MS);
  await tick();
  queries.length = 0;
  clock.advance(60_000);
  await tick();
  const others = queries.find(({ isOfOthers }) => isOfOthers);
  expect(others?.fromMs).toBeGreaterThan(clock.nowMs() - 24 * HOUR_MS - 15 * 60_000);
});

it('comes again soon after a full batch, and looks at the same time once more', async () => {
  const { clock, queries, state, tick } = await makeScene();
  clock.advance(48 * HOUR_MS);
  expect(await tick()).toBe(60_000);
  queries.length = 0;
  state.isFull = true;
  clock.advance(HOUR_MS);
  expect(await tick()).toBe(100);
  state.isFull = false;
  expect(await tick()).toBe(60_000);
  const [full, again] = queries.filter(({ isOfOthers }) => isOfOthers);
  expect(full?.fromMs).toBeLessThan(clock.nowMs() - 25 * HOUR_MS);
  expect(again?.fromMs).toBeLessThanOrEqual(full?.fromMs ?? 0);
});

it('deletes what it can if a part fails, and says so', async () => {
  const { clock, others, state, finish, tick, left } = await makeScene();
  for (const kind of ['order', 'brief']) await finish(kind);
  clock.advance(48 * HOUR_MS);
  state.fails = true;
  await expect(tick()).rejects.toThrow('planted');
  expect(await left()).toEqual(['order']);
  expect(others).toEqual(['dead', 'commands']);
  state.fails = false;
  await tick();
  expect(await left()).toEqual([]);
});

it('deletes what finishes later while a part goes on failing', async () => {
  const { clock, state, finish, tick, left } = await makeScene();
  state.fails = true;
  await expect(tick()).rejects.toThrow('planted');
  await finish('brief');
  clock.advance(2 * HOUR_MS);
  await expect(tick()).rejects.toThrow('planted');
  expect(await left()).toEqual([]);
});

it('deletes what finishes after a clock that was wrong was put right', async () => {
  const { clock, state, finish, tick, left } = await makeScene();
  state.aheadMs = 40 * 24 * HOUR_MS;
  await tick();
  state.aheadMs = 0;
  await finish('brief');
  await tick();
  clock.advance(HOUR_MS + 1);
  await tick();
  expect(await left()).toEqual([]);
});

it('goes on from where it has read, beside any number of rows that other kinds retain', async () => {
  const { clock, state, finish, tick, left } = await makeScene();
  await finish('long');
  clock.advance(1);
  await finish('brief');
  clock.advance(48 * HOUR_MS);
  state.most = 1;
  for (let turn = 0; turn < 4; turn += 1) await tick();
  expect(await left()).toEqual(['long']);
});

it('rests when each part has come to its end once', async () => {
  const { queries, state, tick } = await makeScene();
  state.turns = new Map();
  const pauses = [await tick(), await tick(), await tick()];
  expect(pauses).toContain(60_000);
  expect(queries.filter(({ isOfOthers }) => isOfOthers).length).toBeLessThanOrEqual(3);
});

it('keeps dead timers, and the results of calls with a key, as long as the engine says', async () => {
  const { ages, tick } = await makeScene();
  await tick();
  expect(ages).toEqual({ dead: 90 * 24 * HOUR_MS, commands: 24 * HOUR_MS });
});
