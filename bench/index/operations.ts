import type { DueIndex } from '../../server/timer/index/due-index.ts';
import type { IndexEntry } from '../../server/timer/model/index-entry.ts';
import { beginGeneration } from '../../test/support/engine/begin-generation.ts';
import type { Sample } from '../harness/row.ts';
import { farTimes, ownerOf } from '../lateness/due-times.ts';

/** What the row asks of an index, 500 timers a call. */
export interface TimerCalls {
  put(ids: readonly number[], atMs: readonly number[]): Promise<unknown>;
  remove(ids: readonly number[]): Promise<unknown>;
  /** Moves up to 500 due timers of some shard to whoever fires them; answers how many, 0 when none is left anywhere. */
  handOff(): Promise<number>;
}

const TIMERS_A_CALL = 500;
/** Calls that are on their way at once. */
const LANES = 4;

/** Timers a second that are put, moved, removed and handed off while others wait. */
export const timeOperations = async (calls: TimerCalls, pending: number, count: number): Promise<Sample> => {
  const far = farTimes(pending + count);
  await eachPart(0, pending, (ids) => calls.put(ids, timesOf(far, ids, 0)));
  const perSec = async (work: () => Promise<void>): Promise<number> => {
    const startedAtMs = performance.now();
    await work();
    return (count / (performance.now() - startedAtMs)) * 1000;
  };
  const own = (work: (ids: readonly number[]) => Promise<unknown>) => () => eachPart(pending, count, work);
  const put = await perSec(own((ids) => calls.put(ids, timesOf(far, ids, 0))));
  const move = await perSec(own((ids) => calls.put(ids, timesOf(far, ids, 60_000))));
  const remove = await perSec(own((ids) => calls.remove(ids)));
  await own((ids) =>
    calls.put(
      ids,
      ids.map(() => 1),
    ),
  )();
  const handOff = await perSec(async () => {
    let moved = 0;
    while (moved < count) moved += await calls.handOff();
  });
  return { put, move, remove, 'hand-off': handOff };
};

const timesOf = (times: readonly number[], ids: readonly number[], laterMs: number): readonly number[] =>
  ids.map((id) => (times[id] ?? 0) + laterMs);

const eachPart = async (first: number, count: number, work: (ids: readonly number[]) => Promise<unknown>) => {
  let from = first;
  const lane = async (): Promise<void> => {
    while (from < first + count) {
      const at = from;
      from += TIMERS_A_CALL;
      await work(Array.from({ length: Math.min(TIMERS_A_CALL, first + count - at) }, (_, step) => at + step));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
};

/** The engine's index; every change of a timer comes with a newer revision, as the rows have it. */
export const engineCalls = async (index: DueIndex): Promise<TimerCalls> => {
  await beginGeneration(index, { number: 1, shards: index.inUse.shards });
  let revision = 0;
  let shard = 0;
  const entry = (id: number, fireAtMs: number): IndexEntry => ({
    timerId: String(id),
    owner: ownerOf(id),
    fireAtMs,
    revision,
  });
  return {
    put: (ids, atMs) => {
      revision += 1;
      return index.orders.put(ids.map((id, at) => entry(id, atMs[at] ?? 0)));
    },
    remove: (ids) => {
      revision += 1;
      return index.orders.remove(ids.map((id) => entry(id, 0)));
    },
    handOff: async () => {
      shard += 1;
      return (await index.handOffs.handOff(shard % index.inUse.shards, Date.now(), TIMERS_A_CALL)).moved;
    },
  };
};
