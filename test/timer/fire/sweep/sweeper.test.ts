import { describe, expect, it } from 'vitest';
import { IndexUnavailable } from '../../../../server/timer/index/due-index.ts';
import { entryOf } from '../../../../server/timer/model/index-entry.ts';
import type { Timer } from '../../../../server/timer/model/timer.ts';
import type { OverdueQuery, TimerStore } from '../../../../server/timer/model/timer-store.ts';
import { countOf } from '../../../support/engine/due-index.ts';
import { kindsOf, thingKind } from '../../../support/engine/kinds.ts';
import { laneScene, quiet } from '../../../support/engine/lane-scene.ts';
import type { IndexFaults } from '../../../support/engine/sabotaged.ts';

const DAY_MS = 86_400_000;
const never = (): Promise<never> => new Promise(() => undefined);
const players = (count: number) => Array.from({ length: count }, (_, at) => `player-${at}`);

interface Given {
  readonly faults?: IndexFaults;
  readonly faultyStore?: (store: TimerStore) => Partial<TimerStore>;
  /** Whether the process leads, once the index is whole. */
  readonly isLeader?: boolean;
}

/** A process without workers on an index that keeps its entries: only the sweeper moves them. */
const makeScene = async ({ faults = {}, faultyStore, isLeader = true }: Given = {}) => {
  let nowMs = (): number => 0;
  const sweeps: (OverdueQuery & { readonly atMs: number })[] = [];
  const puts: { readonly atMs: number; readonly count: number }[] = [];
  const fired: string[] = [];
  const state: IndexFaults = {
    ...faults,
    handOffs: { handOff: async () => ({ moved: 0, nextFireAtMs: undefined }), ...faults.handOffs },
    queue: { receive: never, reclaim: async () => [], ...faults.queue },
  };
  const leads = { isLeader: true };
  const scene = await laneScene({
    batchLimit: 100,
    exclusive: { tryLock: async () => leads.isLeader, release: async () => undefined },
    kinds: [
      { kind: 'order', fire: async (timers) => void fired.push(...timers.map(({ subject }) => subject)) },
      thingKind('feeding', async (owners) => {
        fired.push(...owners);
        const { remove } = await scene.rows.changeThings({ end: await scene.rows.listByOwners(owners) });
        return { unsettled: [], moved: new Set(remove.map(({ timerId }) => timerId)) };
      }),
    ],
    faultyStore: (store) => ({
      overdue: (query) => {
        sweeps.push({ ...query, atMs: nowMs() });
        return store.overdue(query);
      },
      ...faultyStore?.(store),
    }),
    faultyIndex: (index) => {
      const put: typeof index.orders.put = (entries) => {
        puts.push({ atMs: nowMs(), count: entries.length });
        return index.orders.put(entries);
      };
      return Object.assign(state, { orders: { put, ...faults.orders } });
    },
  });
  const { rows, index, clock, events, advance } = scene;
  nowMs = clock.nowMs;
  await rows.registerKinds([...kindsOf('hint'), { kind: 'feeding', retentionMs: undefined, module: 'pets' }]);
  // Its own start is long ago.
  await advance(3000);
  leads.isLeader = isLeader;
  for (const seen of [sweeps, puts, events]) seen.length = 0;
  /** Rows of which the index was never told. */
  const lose = async (owners: readonly string[], { kind = 'order', dueAtMs = clock.nowMs() } = {}) => {
    const wanted = owners.map((owner, at) => ({ kind, owner, dueAtMs, subject: `${kind}-${owner}-${at}` }));
    return (await rows.schedule(wanted)).map(({ timer }) => timer);
  };
  /** When they stand in the index. */
  const timesOf = async (...timers: readonly Timer[]) => {
    const times = await index.orders.fireTimes(timers.map(entryOf));
    return timers.map(({ id }) => times.get(id));
  };
  /** Advances to the next sweep and not over it; returns its time. */
  const nextSweep = async (): Promise<number> => {
    const { length } = sweeps;
    for (let steps = 0; sweeps.length === length && steps < 100; steps += 1) await advance(25);
    if (sweeps.length === length) throw new Error('no sweep comes');
    return clock.nowMs();
  };
  const swept = (): number => events.reduce((sum, event) => sum + (event.type === 'swept' ? event.count : 0), 0);
  return { ...scene, state, leads, sweeps, puts, fired, lose, timesOf, nextSweep, swept };
};

/** The index has it, and a worker that does not come back. */
const handOff = async ({ index, clock }: Pick<Awaited<ReturnType<typeof makeScene>>, 'index' | 'clock'>) => {
  await index.handOffs.handOff(0, clock.nowMs(), 10);
  const deliveries = await index.queue.receive(10, 0, new AbortController().signal);
  return () => index.queue.ack(deliveries);
};

describe('the leader, while the index is whole,', () => {
  it('puts what it lacks two seconds after it was due, and runs no handler', async () => {
    const { lose, timesOf, nextSweep, fired, swept } = await makeScene();
    const sweepMs = 1000 + (await nextSweep());
    const timers = [
      ...(await lose(['ann'], { dueAtMs: sweepMs - 2000 })),
      ...(await lose(['bob'], { dueAtMs: sweepMs - 1999 })),
    ];
    expect(await nextSweep()).toBe(sweepMs);
    expect(await timesOf(...timers)).toEqual([sweepMs, undefined]);
    await nextSweep();
    expect(await timesOf(...timers)).toEqual([sweepMs, sweepMs + 1000]);
    expect([fired, swept()]).toEqual([[], 2]);
  });

  it('puts kinds that only other processes have, but none that is paused or that no process ever had', async () => {
    const { rows, lose, timesOf, advance } = await makeScene();
    await rows.registerKinds(kindsOf('paused'));
    await rows.setPaused('paused', true);
    const kinds = ['hint', 'paused', 'nobody'];
    const timers = (await Promise.all(kinds.map((kind) => lose(['ann'], { kind })))).flat();
    await advance(5000);
    expect(await timesOf(...timers)).toEqual([expect.any(Number), undefined, undefined]);
  });

  it('puts 5,000 rows a turn, the next of them 0.05 s later, and begins again a second after that', async () => {
    const { lose, nextSweep, index, clock, sweeps } = await makeScene();
    await nextSweep();
    await lose(players(5050), { dueAtMs: clock.nowMs() - 60_000 });
    sweeps.length = 0;
    const counts: (readonly number[])[] = [];
    for (let turn = 0; turn < 3; turn += 1) counts.push([await nextSweep(), await countOf(index)]);
    const [[firstMs = 0] = []] = counts;
    expect(counts).toEqual([
      [firstMs, 5000],
      [firstMs + 50, 5050],
      [firstMs + 1050, 5050],
    ]);
    expect(sweeps.map(({ after }) => after === undefined)).toEqual([true, false, true]);
  });

  it('finds what lies behind 10,000 rows that are paused or unknown', async () => {
    const { rows, lose, timesOf, advance, index, clock } = await makeScene();
    await rows.setPaused('hint', true);
    const dueAtMs = clock.nowMs() - 60_000;
    for (const kind of ['hint', 'nobody']) await lose(players(5000), { kind, dueAtMs });
    const timers = await lose(['ann']);
    await advance(4000);
    expect(await timesOf(...timers)).toEqual([expect.any(Number)]);
    expect(await countOf(index)).toBe(1);
  });

  it('waits only for the deliveries of the row’s own shard, and for none longer than a minute', async () => {
    let fromMs = Number.POSITIVE_INFINITY;
    // Each owner is a shard: of the first a delivery hangs, of the second none.
    const scene = await makeScene({
      faults: {
        inUse: { shardOf: (owner) => (owner === 'ann' ? 0 : 1) },
        queue: { oldestUnackedMs: async () => [Math.max(0, scene?.clock.nowMs() - fromMs + 1000), 0] },
      },
    });
    const { lose, timesOf, nextSweep, advance } = scene;
    fromMs = await nextSweep();
    const timers = await lose(['ann', 'bob']);
    await advance(7000);
    expect(await timesOf(...timers)).toEqual([undefined, expect.any(Number)]);
    await advance(52_000);
    expect(await timesOf(...timers)).toEqual([undefined, expect.any(Number)]);
    await advance(1000);
    expect(await timesOf(...timers)).toEqual([fromMs + 60_000, expect.any(Number)]);
  });

  it('counts a row once a minute that nobody fires, and does not put it again while the index has it', async () => {
    const { lose, nextSweep, advance, puts, swept } = await makeScene();
    await nextSweep();
    await lose(['ann', 'bob']);
    await advance(61_000);
    expect([puts.map(({ count }) => count), swept()]).toEqual([[2], 2]);
    await advance(2000);
    expect([puts.length, swept()]).toEqual([1, 4]);
  });

  it('puts a row again two seconds later, and no sooner, when it was handed off and lost once more', async () => {
    const scene = await makeScene();
    const { lose, timesOf, nextSweep, advance } = scene;
    await nextSweep();
    const timers = await lose(['ann']);
    await advance(2000);
    await (await handOff(scene))();
    await advance(1000);
    expect(await timesOf(...timers)).toEqual([undefined]);
    await advance(1000);
    expect(await timesOf(...timers)).toEqual([scene.clock.nowMs()]);
  });

  it('leaves to the workers what was overdue for a day when it became whole, as long as they have it', async () => {
    const scene = await makeScene();
    const { state, index, lose, advance, clock, swept } = scene;
    state.isAvailable = false;
    const timers = await lose(['ann'], { kind: 'hint', dueAtMs: clock.nowMs() - DAY_MS });
    await advance(1000);
    state.isAvailable = true;
    await index.orders.put(timers.map(entryOf));
    const ack = await handOff(scene);
    await advance(30_000);
    expect([await countOf(index), swept()]).toEqual([0, 0]);
    await ack();
    await advance(1000);
    expect([await countOf(index), swept()]).toEqual([1, 1]);
  });

  it('hands off what it has for now or before and no dispatcher takes, once for each shard', async () => {
    const shards: number[] = [];
    const { lose, nextSweep, index, swept } = await makeScene({
      faults: {
        inUse: { shardOf: (owner) => Number(owner) || 0 },
        queue: { oldestUnackedMs: async () => Array(8).fill(0) },
        handOffs: {
          handOff: async (shard) => {
            shards.push(shard);
            return { moved: 0, nextFireAtMs: undefined };
          },
        },
      },
    });
    const sweepMs = 1000 + (await nextSweep());
    const timers = await lose(['1', '3', '3', '5', '7'], { dueAtMs: sweepMs - 2000 });
    const atMs = [sweepMs - 2000, sweepMs - 2000, sweepMs - 2000, sweepMs + 1, sweepMs];
    await index.orders.put(timers.map((timer, at) => ({ ...entryOf(timer), fireAtMs: atMs[at] ?? 0 })));
    expect(await nextSweep()).toBe(sweepMs);
    expect(shards.filter((shard) => shard > 0).sort()).toEqual([1, 3, 7]);
    expect(swept()).toBe(4);
  });

  it('brings forward what it has much later, and leaves alone what comes again within a second', async () => {
    const { lose, nextSweep, index, timesOf, advance, swept } = await makeScene();
    const sweepMs = 2000 + (await nextSweep());
    const timers = await lose(['ann', 'bob']);
    const [late, soon] = timers.map(entryOf);
    if (late === undefined || soon === undefined) throw new Error('there are two');
    await advance(1000);
    await index.orders.put([
      { ...late, fireAtMs: sweepMs + DAY_MS },
      { ...soon, fireAtMs: sweepMs + 1000 },
    ]);
    expect(await nextSweep()).toBe(sweepMs);
    expect(await timesOf(...timers)).toEqual([sweepMs, sweepMs + 1000]);
    expect(swept()).toBe(1);
  });

  it('brings forward what was moved 1,500 times while it was away', async () => {
    const { lose, rows, index, clock, timesOf, advance } = await makeScene();
    const timers = await lose(['ann'], { dueAtMs: clock.nowMs() + DAY_MS });
    await index.orders.put(timers.map(entryOf));
    const shift = (byMs: number) => ({ target: { timerId: timers[0]?.id ?? '' }, change: 'shift' as const, byMs });
    await rows.change([...Array.from({ length: 1499 }, () => shift(1)), shift(-DAY_MS - 1499)]);
    await advance(4000);
    expect((await timesOf(...timers))[0]).toBeLessThanOrEqual(clock.nowMs());
  });

  it.each([
    ['refuses a command: then', new IndexUnavailable(new Error('NOPERM')), 6000],
    ['fails for another reason: no', new Error('a bug'), 0],
  ])('seems to be there and %s rows fire here, page by page', async (_what, error, count) => {
    const fireTimes = () => Promise.reject(error);
    const { lose, fired, advance } = await makeScene({ faults: { orders: { fireTimes } } });
    await lose(players(6000));
    await advance(10_000);
    expect(new Set(fired).size).toBe(count);
  });
});

describe('the leader, while the index is away,', () => {
  it.each<[string, IndexFaults]>([
    ['it does not respond, though it was whole', {}],
    ['it lacks timers', { marks: { finish: never } }],
  ])('fires its own kinds ten times a second, nothing before it is due: %s', async (_what, faults) => {
    const { state, lose, nextSweep, fired, sweeps, puts, swept } = await makeScene({ faults });
    if (!faults.marks) state.isAvailable = false;
    await nextSweep();
    const sweepMs = 100 + (await nextSweep());
    await lose(['ann'], { dueAtMs: sweepMs });
    await lose(['bob'], { dueAtMs: sweepMs + 1 });
    await lose(['cid'], { kind: 'hint' });
    expect([await nextSweep(), fired]).toEqual([sweepMs, ['order-ann-0']]);
    expect([await nextSweep(), fired]).toEqual([sweepMs + 100, ['order-ann-0', 'order-bob-0']]);
    expect(sweeps.at(-1)).toMatchObject({ kinds: ['order', 'feeding'], beforeMs: sweepMs + 100 });
    expect([puts, swept()]).toEqual([[], 2]);
  });

  it('fires a row again a second later, and no sooner, when it is overdue still', async () => {
    const tries: number[] = [];
    const scene = await makeScene({
      faultyStore: () => ({
        fire: async () => {
          tries.push(scene.clock.nowMs());
          return { timers: [], nowMs: scene.clock.nowMs() };
        },
      }),
    });
    scene.state.isAvailable = false;
    await scene.nextSweep();
    await scene.lose(['ann']);
    await scene.advance(2500);
    const [firstMs = 0] = tries;
    expect(tries).toEqual([firstMs, firstMs + 1000, firstMs + 2000]);
  });

  it('fires no paused kind, but what lies behind 10,000 of its rows', async () => {
    const { state, rows, lose, nextSweep, fired, advance, clock } = await makeScene();
    state.isAvailable = false;
    await rows.setPaused('order', true);
    await nextSweep();
    await lose(players(10_000), { dueAtMs: clock.nowMs() - 60_000 });
    await rows.changeThings({ put: [{ kind: 'feeding', subject: 'ann~a', owner: 'ann', dueAtMs: clock.nowMs() }] });
    await advance(200);
    expect(fired).toEqual(['ann']);
  });

  it('takes in 5,000 rows a turn, the next of them at once, a hundred in a batch', async () => {
    const reads: number[] = [];
    const { state, lose, nextSweep, sweeps, fired } = await makeScene({
      faultyStore: (store) => ({
        read: (refs) => {
          reads.push(refs.length);
          return store.read(refs);
        },
      }),
    });
    state.isAvailable = false;
    await nextSweep();
    await lose(players(5050));
    sweeps.length = 0;
    const sweepMs = await nextSweep();
    expect(sweeps.map(({ atMs }) => atMs)).toEqual([sweepMs, sweepMs]);
    expect(reads).toEqual([...Array(50).fill(100), 50]);
    expect(new Set(fired).size).toBe(5050);
  });

  it('gives it two seconds, and as long as its oldest delivery waits, when it is whole again', async () => {
    const { state, lose, nextSweep, advance, puts, clock } = await makeScene({
      faults: { queue: { oldestUnackedMs: async () => [100] } },
    });
    state.isAvailable = false;
    await lose(['ann'], { kind: 'hint', dueAtMs: clock.nowMs() - DAY_MS });
    await advance(975);
    const awayMs = await nextSweep();
    state.isAvailable = true;
    await advance(4000);
    expect(puts).toEqual([{ atMs: awayMs + 2100, count: 1 }]);
  });

  it('by hand it takes in all that was overdue then, from the first row on, and says how many nobody was at work on', async () => {
    const { engine, lose, nextSweep, advance, fired, clock } = await makeScene();
    await nextSweep();
    await lose(players(5050), { dueAtMs: clock.nowMs() - 60_000 });
    // A turn of the loop ends in the middle.
    await nextSweep();
    await lose(['ann'], { dueAtMs: clock.nowMs() + 26 });
    await advance(25);
    expect(await engine.sweep()).toBe(5050);
    expect(new Set(fired).size).toBe(5050);
  });
});

describe('a process that does not lead', () => {
  it('fires rows of its own kinds that are overdue by two seconds while the index is away, and looks each second', async () => {
    const { state, lose, nextSweep, fired, sweeps } = await makeScene({ isLeader: false });
    state.isAvailable = false;
    const sweepMs = 1000 + (await nextSweep());
    await lose(['ann'], { dueAtMs: sweepMs - 2000 });
    await lose(['bob'], { dueAtMs: sweepMs - 1999 });
    await lose(['cid'], { kind: 'hint', dueAtMs: sweepMs - 2000 });
    expect([await nextSweep(), fired]).toEqual([sweepMs, ['order-ann-0']]);
    expect([await nextSweep(), fired]).toEqual([sweepMs + 1000, ['order-ann-0', 'order-bob-0']]);
    expect(sweeps.at(-1)).toMatchObject({ kinds: ['order', 'feeding'], beforeMs: sweepMs - 1000 });
  });

  it('takes in 5,000 rows a turn, the next of them 0.05 s later, and begins with the first row after the index was whole', async () => {
    const fire = async () => ({ timers: [], nowMs: 0 });
    const { state, lose, nextSweep, advance, sweeps } = await makeScene({
      isLeader: false,
      faultyStore: () => ({ fire }),
    });
    state.isAvailable = false;
    const firstMs = 1000 + (await nextSweep());
    await lose(players(5050), { dueAtMs: firstMs - 5000 });
    expect([await nextSweep(), await nextSweep(), await nextSweep()]).toEqual([firstMs, firstMs + 50, firstMs + 1050]);
    expect(sweeps.slice(-3).map(({ after }) => after === undefined)).toEqual([true, false, true]);
    state.isAvailable = true;
    const { length } = sweeps;
    await advance(5000);
    expect(sweeps).toHaveLength(length);
    state.isAvailable = false;
    await nextSweep();
    expect(sweeps.at(-1)?.after).toBeUndefined();
  });

  it('knows, when it begins to lead, since when the index is whole', async () => {
    const { state, leads, lose, timesOf, advance, clock } = await makeScene({ isLeader: false });
    state.isAvailable = false;
    const timers = await lose(['ann'], { kind: 'hint', dueAtMs: clock.nowMs() - DAY_MS });
    await advance(3000);
    state.isAvailable = true;
    await advance(5000);
    expect(await timesOf(...timers)).toEqual([undefined]);
    leads.isLeader = true;
    await advance(1000);
    expect(await timesOf(...timers)).toEqual([expect.any(Number)]);
  });
});

it.each([
  ['the leader', true],
  ['another process', false],
])('%s takes in no more batches once it is asked to end', async (_who, isLeader) => {
  let reads = 0;
  const { state, engine, lose, nextSweep, clock } = await makeScene({
    isLeader,
    faultyStore: (store) => ({
      read: async (refs) => {
        reads += 1;
        void engine.stop();
        await quiet();
        return store.read(refs);
      },
    }),
  });
  state.isAvailable = false;
  await nextSweep();
  await lose(players(300), { dueAtMs: clock.nowMs() - 5000 });
  await nextSweep();
  await quiet();
  expect(reads).toBe(1);
});

describe('a home on hold', () => {
  /** A thing of ann's and one of bob's that are due, of which the index was never told. Ann's home failed. */
  const makeHolds = async (isAvailable: boolean) => {
    const scene = await makeScene();
    const { rows, clock, state, nextSweep } = scene;
    state.isAvailable = isAvailable;
    await nextSweep();
    const dueAtMs = clock.nowMs() - 5000;
    const things = ['ann', 'bob'].map((owner) => ({ kind: 'feeding', subject: `${owner}~a`, owner, dueAtMs }));
    const { put } = await rows.changeThings({ put: things });
    await rows.hold([{ owner: 'ann', untilMs: clock.nowMs() + 10_000, attempt: 3, lastError: 'no' }]);
    const told = async () => {
      const times = await scene.index.orders.fireTimes(put);
      return put.flatMap(({ timerId, owner }) => (times.has(timerId) ? owner : []));
    };
    return { ...scene, told };
  };

  it('is fired by nobody before its time, while the index is away', async () => {
    const { advance, fired } = await makeHolds(false);
    await advance(9975);
    expect(fired).toEqual(['bob']);
    await advance(125);
    expect(fired).toEqual(['bob', 'ann']);
  });

  it('is not put before its time and the grace that the index has to bring it', async () => {
    const { advance, told } = await makeHolds(true);
    await advance(11_975);
    expect(await told()).toEqual(['bob']);
    await advance(1025);
    expect(await told()).toEqual(['ann', 'bob']);
  });
});
