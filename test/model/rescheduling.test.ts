import fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import { MemoryDueIndex } from '../../server/adapter/memory/memory-due-index.ts';
import { ManualClock } from '../../server/runtime/manual-clock.ts';
import type { DueIndex } from '../../server/timer/index/due-index.ts';
import type { IndexChanges, IndexEntry } from '../../server/timer/model/index-entry.ts';
import { catalogueArbitrary, historyArbitrary } from '../../testing/arbitraries.ts';
import { diffTimers, fold, timersOf } from '../../testing/pets-engine.ts';
import { PLAYER_ID, play, REST_MS, START_AT_MS, type Turn } from '../../testing/play.ts';
import { HANG_MS } from '../proof/table/tries.ts';
import { beginGeneration, startRedisIndex } from '../support/engine/due-index.ts';
import { FakeTimerStore } from '../support/fake-database/fake-timer-store.ts';
import { PROPERTY_RUNS } from '../support/properties/property-runs.ts';

type At = Pick<IndexEntry, 'timerId' | 'fireAtMs'>;

/** Applies what a turn asks of the timers, as the home's transaction and what follows its commit do. */
const apply = async (store: FakeTimerStore, index: DueIndex, turn: Turn): Promise<IndexChanges> => {
  const after = fold(turn.before, turn.events);
  const changes = await store.changeThings(diffTimers(turn.before, after));
  await index.orders.put(changes.put);
  await index.orders.remove(changes.remove);
  return changes;
};

/** The timers that the state asks for, in due order. */
const wanted = async (store: FakeTimerStore, turn: Turn): Promise<readonly At[]> => {
  const dueOf = new Map(timersOf(fold(turn.before, turn.events)).map(({ subject, dueAtMs }) => [subject, dueAtMs]));
  const rows = await store.listByOwners([PLAYER_ID]);
  expect(new Set(rows.map((row) => row.subject))).toEqual(new Set(dueOf.keys()));
  return tiesById(rows.map((row) => ({ timerId: row.id, fireAtMs: dueOf.get(row.subject) ?? -1 })));
};

/** Inside one millisecond the order is the index' own: in Redis that of the revisions (ADR 10). */
const tiesById = (entries: readonly At[]): readonly At[] =>
  [...entries].sort((a, b) => a.fireAtMs - b.fireAtMs || Number(a.timerId) - Number(b.timerId));

const timesOf = (entries: readonly At[]): readonly number[] => entries.map(({ fireAtMs }) => fireAtMs);

const staysInOrder = async (index: DueIndex, turns: readonly Turn[]): Promise<void> => {
  const store = new FakeTimerStore(() => START_AT_MS);
  let before: readonly At[] = [];
  for (const turn of turns) {
    const changes = await apply(store, index, turn);
    const listed = await index.orders.listByOwner(PLAYER_ID);
    const now = listed.map(({ timerId, fireAtMs }) => ({ timerId, fireAtMs }));
    expect(tiesById(now)).toEqual(await wanted(store, turn));
    expect(timesOf(now)).toEqual(timesOf(tiesById(now)));
    // Unchanged timers stay at their place.
    const touched = new Set([...changes.put, ...changes.remove].map(({ timerId }) => timerId));
    const untouched = (entries: readonly At[]) => entries.filter(({ timerId }) => !touched.has(timerId));
    expect(untouched(now)).toEqual(untouched(before));
    before = now;
  }
  // The shards' order agrees with the owner's, to the last timer.
  const yielded: string[] = [];
  const lastAtMs = START_AT_MS + 1_000_000 + REST_MS;
  for (let shard = 0; shard < index.inUse.shards; shard += 1)
    while ((await index.handOffs.handOff(shard, lastAtMs, 1)).moved > 0);
  const never = new AbortController().signal;
  for (
    let got = await index.queue.receive(1000, 0, never);
    got.length > 0;
    got = await index.queue.receive(1000, 0, never)
  ) {
    yielded.push(...got.flatMap(({ timers }) => timers.map(({ timerId }) => timerId)));
    await index.queue.ack(got);
  }
  const dueOf = new Map(before.map(({ timerId, fireAtMs }) => [timerId, fireAtMs]));
  const inTurn = yielded.map((timerId) => ({ timerId, fireAtMs: dueOf.get(timerId) ?? -1 }));
  expect(tiesById(inTurn)).toEqual(tiesById(before));
  expect(timesOf(inTurn)).toEqual(timesOf(before));
  expect(await index.orders.listByOwner(PLAYER_ID)).toEqual([]);
};

const holdsOn = (runs: number, withIndex: (use: (index: DueIndex) => Promise<void>) => Promise<void>) =>
  fc.assert(
    fc.asyncProperty(catalogueArbitrary, historyArbitrary, async (catalogue, history) => {
      const { turns } = play(catalogue, history);
      await withIndex((index) => staysInOrder(index, turns));
    }),
    { numRuns: runs },
  );

describe('rescheduling keeps the timers ordered: after any sequence of commands', () => {
  const claim = 'the index yields them in due order, each at its newest due time, and a reschedule moves its own only';

  it(`on the wheel ${claim}`, { timeout: HANG_MS }, () =>
    holdsOn(PROPERTY_RUNS, async (use) => {
      const index = new MemoryDueIndex(new ManualClock(START_AT_MS));
      await beginGeneration(index);
      await use(index);
    }),
  );

  it.skipIf(!inject('redisUrl'))(`on Redis ${claim}`, { timeout: HANG_MS }, async () => {
    const url = inject('redisUrl');
    await holdsOn(50, async (use) => {
      const { index, dispose } = await startRedisIndex({ url });
      await use(index).finally(dispose);
    });
  });
});
