import { describe, expect, it } from 'vitest';
import { Batches, Share } from '../../../../server/timer/fire/batches.ts';
import type { FiringTools } from '../../../../server/timer/fire/firing-tools.ts';
import { InFlight } from '../../../../server/timer/fire/in-flight.ts';
import type { LaneResult } from '../../../../server/timer/fire/lane.ts';
import type { EngineEvent } from '../../../../server/timer/model/engine-event.ts';
import { entryOf, type IndexEntry } from '../../../../server/timer/model/index-entry.ts';
import type { Timer } from '../../../../server/timer/model/timer.ts';
import { quiet } from '../../../support/engine/lane-scene.ts';
import { silentLog } from '../../../support/log/silent-log.ts';

const NOW_MS = 1_790_000_000_000;
const timer = (id: string, revision = 1) =>
  ({ id, owner: 'ann', kind: 'order', fireAtMs: 7, revision, attempt: 0 }) as Timer;
const idsOf = (taken: readonly InFlight[]) => taken.map((one) => one.timer.id);

/** Batches with transactions that the test ends. */
const makeScene = (more: { atOnce?: number; share?: Share; isAlone?: (timerId: string) => boolean } = {}) => {
  const told: (readonly IndexEntry[])[] = [];
  const events: EngineEvent[] = [];
  const ended: string[] = [];
  const runs: { ids: readonly string[]; end: PromiseWithResolvers<LaneResult> }[] = [];
  const tools = {
    clock: { nowMs: () => NOW_MS, monotonicMs: () => 0 },
    storeClock: { nowMs: () => NOW_MS },
    store: { isWorldFault: () => true },
    log: silentLog,
    observe: (event: EngineEvent) => events.push(event),
    indexWriter: { apply: async ({ put }: { put: readonly IndexEntry[] }) => void told.push(put) },
  } as unknown as FiringTools;
  const batches = new Batches({
    tools,
    atOnce: 2,
    limit: 3,
    run: (timers) => {
      const end = Promise.withResolvers<LaneResult>();
      runs.push({ ids: timers.map(({ id }) => id), end });
      return end.promise;
    },
    ...more,
  });
  const take = (...ids: readonly string[]) =>
    ids.map((id) => new InFlight(timer(id), 0, (one) => ended.push(one.timer.id)));
  return { batches, take, runs, told, events, ended };
};

describe('room', () => {
  it('is for a whole batch as long as another may run, and then for none', async () => {
    const { batches, take, runs } = makeScene();
    expect([batches.room, batches.running, batches.capacity]).toEqual([3, 0, 6]);
    const first = batches.begin(take('1', '2'), () => undefined);
    expect([batches.room, batches.running, batches.capacity]).toEqual([3, 2, 6]);
    void batches.begin(take('3'), () => undefined);
    expect([batches.room, batches.running]).toEqual([0, 3]);
    runs[0]?.end.resolve({ entries: [], finished: 0 });
    await first;
    expect([batches.room, batches.running]).toEqual([3, 1]);
  });
});

describe('a batch', () => {
  it('ends and settles all its timers, tells the index of those that come again, and says how many were finished', async () => {
    const { batches, take, runs, told, ended } = makeScene();
    const finished: number[] = [];
    const taken = take('1', '2', '3');
    const begun = batches.begin(taken, (count) => finished.push(count));
    const again = [entryOf(timer('2')), entryOf(timer('3', 2))];
    runs[0]?.end.resolve({ entries: again, finished: 2 });
    await begun;
    expect(runs[0]?.ids).toEqual(['1', '2', '3']);
    expect(finished).toEqual([2]);
    expect(told).toEqual([again]);
    expect(ended).toEqual(['1', '2', '3']);
    await Promise.all(taken.map(({ settled }) => settled));
  });

  it('says that there is room before the index is told', async () => {
    const { batches, take, runs, told } = makeScene({ atOnce: 1 });
    const seen: { readonly room: number; readonly told: number }[] = [];
    const begun = batches.begin(take('1'), () => seen.push({ room: batches.room, told: told.length }));
    expect(batches.room).toBe(0);
    runs[0]?.end.resolve({ entries: [], finished: 0 });
    await begun;
    expect(seen).toEqual([{ room: 3, told: 0 }]);
    expect(told).toHaveLength(1);
  });

  it('whose transaction fails comes again soon', async () => {
    const { batches, take, runs, told } = makeScene();
    const finished: number[] = [];
    const begun = batches.begin(take('1', '2'), (count) => finished.push(count));
    runs[0]?.end.reject(new Error('the world failed'));
    await begun;
    expect(told[0]?.map(({ timerId, revision }) => [timerId, revision])).toEqual([
      ['1', 1],
      ['2', 1],
    ]);
    for (const { fireAtMs } of told[0] ?? []) expect(fireAtMs).toBeGreaterThan(NOW_MS);
    expect(finished).toEqual([0]);
  });

  it('waits for its share, and is given back when there is none any more', async () => {
    const share = new Share(1);
    const { batches, take, runs, told, events } = makeScene({ share });
    void batches.begin(take('1'), () => undefined);
    const second = batches.begin(take('2'), () => undefined);
    await quiet();
    expect(runs.map(({ ids }) => ids)).toEqual([['1']]);
    share.stop();
    await second;
    expect(runs).toHaveLength(1);
    expect(told).toEqual([[entryOf(timer('2'))]]);
    expect(events).toEqual([{ type: 'requeued', reason: 'stopping', count: 1 }]);
  });
});

describe('chosen', () => {
  it('are the first, as many as go in a batch', () => {
    const { batches, take } = makeScene();
    expect(idsOf(batches.choose(take('1', '2', '3', '4')))).toEqual(['1', '2', '3']);
  });

  it('are one that has to go alone and a batch of the others in turn', () => {
    const { batches, take } = makeScene({ isAlone: (id) => id.startsWith('x') });
    const waiting = take('1', 'x1', '2', 'x2', '3', '4');
    expect(idsOf(batches.choose(waiting))).toEqual(['x1']);
    expect(idsOf(batches.choose(waiting))).toEqual(['1', '2', '3']);
    expect(idsOf(batches.choose(waiting))).toEqual(['x1']);
  });

  it('are those that have to go alone, one after the other, where there are no others', () => {
    const { batches, take } = makeScene({ isAlone: (id) => id.startsWith('x') });
    for (let time = 0; time < 3; time += 1) expect(idsOf(batches.choose(take('x1', 'x2')))).toEqual(['x1']);
  });

  it('are the others at once where none has to go alone, and the next that has to, after them', () => {
    const { batches, take } = makeScene({ isAlone: (id) => id.startsWith('x') });
    expect(idsOf(batches.choose(take('1', '2')))).toEqual(['1', '2']);
    expect(idsOf(batches.choose(take('1', 'x1')))).toEqual(['x1']);
    expect(idsOf(batches.choose(take('1')))).toEqual(['1']);
    expect(idsOf(batches.choose(take('1', 'x1')))).toEqual(['x1']);
  });
});
