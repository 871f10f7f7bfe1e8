import { describe, expect, it } from 'vitest';
import { retryAfterLock } from '../../../../server/timer/fire/attempt/retry-after-lock.ts';
import { DerivedRunner } from '../../../../server/timer/fire/handle/derived-runner.ts';
import { entryOf } from '../../../../server/timer/model/index-entry.ts';
import type { Timer } from '../../../../server/timer/model/timer.ts';
import type { Unsettled } from '../../../../server/timer/model/timer-kind.ts';
import type { TimerStore } from '../../../../server/timer/model/timer-store.ts';
import { causesOf } from '../../../../shared/game-code.ts';
import { firingScene } from '../../../support/engine/firing-scene.ts';

const noWorld = new Error('no Postgres');

/** Two timers of ann, one of bob, one of cleo. `settle` looks at their owners. */
const makeScene = async (settle: (owners: readonly string[], rows: TimerStore) => Promise<readonly Unsettled[]>) => {
  const { tools, events, lines, nowMs } = await firingScene({
    faultyStore: { isWorldFault: (error) => causesOf(error).includes(noWorld) },
  });
  const timers: Timer[] = [];
  for (const subject of ['ann-1', 'ann-2', 'bob-1', 'cleo-1']) {
    const owner = subject.slice(0, -2);
    const [outcome] = await tools.store.schedule([{ kind: 'pet', subject, owner, dueAtMs: nowMs - 40 }]);
    if (outcome?.outcome === 'applied') timers.push(outcome.timer);
  }
  const asked: (readonly string[])[] = [];
  const kind = {
    kind: 'pet',
    derived: true as const,
    settle: (owners: readonly string[]) => {
      asked.push(owners);
      return settle(owners, tools.store);
    },
  };
  const run = () => new DerivedRunner(tools).run(kind as never, timers);
  const rowOf = async ({ id }: Timer) => (await tools.store.find([{ timerId: id }]))[0];
  return { run, rowOf, timers, asked, events, lines, nowMs };
};

/** As an owner's own path does. */
const finish = async (owners: readonly string[], rows: TimerStore): Promise<void> => {
  const timers = await rows.listByOwners(owners);
  await rows.change(
    timers.map(({ id }) => ({ target: { timerId: id }, change: 'cancel' })),
    [],
  );
};

describe('timers whose owners are looked at', () => {
  it('are fired where their rows have changed, and stuck where they have not', async () => {
    const { run, rowOf, timers, asked, events } = await makeScene(async (_owners, rows) => {
      await finish(['ann', 'cleo'], rows);
      return [];
    });
    const [ann, other, bob, cleo] = timers;
    const entries = await run();
    expect(asked).toEqual([['ann', 'bob', 'cleo']]);
    const error = new Error('still due after its owner was settled');
    expect(events).toEqual([
      { type: 'fired', kind: 'pet', timers: [ann, other, cleo], nowMs: expect.any(Number) },
      { type: 'stuck', timer: bob, error },
    ]);
    const row = bob && (await rowOf(bob));
    expect(entries).toEqual(row && [entryOf(row)]);
    expect(row).toMatchObject({ state: 'scheduled', attempt: 1, lastError: expect.stringContaining(error.message) });
  });

  it('come again soon, uncounted, where their owner is locked', async () => {
    const { run, timers, events, nowMs } = await makeScene(async (_owners, rows) => {
      await finish(['bob', 'cleo'], rows);
      return [{ owner: 'ann', isLocked: true, error: noWorld }];
    });
    const [ann, other, bob, cleo] = timers;
    expect(await run()).toEqual([ann, other].flatMap((timer) => (timer ? retryAfterLock(timer, nowMs) : [])));
    expect(events).toEqual([
      { type: 'put-back', reason: 'locked', count: 2 },
      { type: 'fired', kind: 'pet', timers: [bob, cleo], nowMs },
    ]);
  });

  it('come again in half a second, uncounted, where the world failed their owner', async () => {
    const { run, timers, events, lines, nowMs } = await makeScene(async (_owners, rows) => {
      await finish(['ann', 'cleo'], rows);
      return [{ owner: 'bob', isLocked: false, error: noWorld }];
    });
    const [ann, other, bob, cleo] = timers;
    expect(await run()).toEqual(bob && [{ ...entryOf(bob), fireAtMs: nowMs + 500 }]);
    expect(events).toEqual([
      { type: 'put-back', reason: 'world-fault', count: 1 },
      { type: 'fired', kind: 'pet', timers: [ann, other, cleo], nowMs },
    ]);
    expect(lines.map(({ level }) => level)).toEqual(['warn']);
  });

  it('are stuck where their owner fails, with its error', async () => {
    const error = new Error('ann is broken');
    const { run, rowOf, timers, events, lines } = await makeScene(async (_owners, rows) => {
      await finish(['bob', 'cleo'], rows);
      return [{ owner: 'ann', isLocked: false, error }];
    });
    const [ann, other] = timers;
    const entries = await run();
    const rows = await Promise.all([ann, other].flatMap((timer) => (timer ? [rowOf(timer)] : [])));
    expect(entries).toEqual(rows.flatMap((row) => (row ? entryOf(row) : [])));
    expect(rows.map((row) => row?.attempt)).toEqual([1, 1]);
    expect(events.slice(0, 2)).toEqual([
      { type: 'stuck', timer: ann, error },
      { type: 'stuck', timer: other, error },
    ]);
    expect(lines).toEqual([]);
  });
});

describe('a look at many that throws', () => {
  it('is tried again in halves: only the timer of the broken owner is stuck', async () => {
    const error = new Error('cleo is broken');
    const { run, timers, asked, events } = await makeScene(async (owners, rows) => {
      if (owners.includes('cleo')) throw error;
      await finish(owners, rows);
      return [];
    });
    const [ann, other, bob, cleo] = timers;
    expect(await run()).toHaveLength(1);
    expect(asked).toEqual([['ann', 'bob', 'cleo'], ['ann', 'bob'], ['cleo']]);
    expect(events).toEqual([
      { type: 'stuck', timer: cleo, error: expect.objectContaining({ whose: 'settle of kind "pet"' }) },
      { type: 'fired', kind: 'pet', timers: [ann, other, bob], nowMs: expect.any(Number) },
    ]);
  });

  it('is not tried in halves when the world failed: all timers come again', async () => {
    const { run, timers, asked, events, nowMs } = await makeScene(() => Promise.reject(noWorld));
    expect(await run()).toEqual(timers.map((timer) => ({ ...entryOf(timer), fireAtMs: nowMs + 500 })));
    expect(asked).toHaveLength(1);
    expect(events).toEqual([{ type: 'put-back', reason: 'world-fault', count: 4 }]);
  });
});
