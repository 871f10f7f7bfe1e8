import { describe, expect, it, onTestFinished } from 'vitest';
import { MemoryDueIndex } from '../../../../server/adapter/memory/memory-due-index.ts';
import { alwaysExclusive, type Exclusive } from '../../../../server/runtime/exclusive.ts';
import { ManualClock } from '../../../../server/runtime/manual-clock.ts';
import type { DueIndex } from '../../../../server/timer/index/due-index.ts';
import { OwnGenerations } from '../../../../server/timer/index/generation.ts';
import { TimerEngine } from '../../../../server/timer/timer-engine.ts';
import { beginGeneration } from '../../../support/engine/due-index.ts';
import { quiet, spread } from '../../../support/engine/lane-scene.ts';
import { neverExclusive } from '../../../support/engine/running-engine.ts';
import { sabotaged } from '../../../support/engine/sabotaged.ts';
import { NOW_MS } from '../../../support/engine/timer-engine.ts';
import { FakeTimerStore } from '../../../support/fake-database/fake-timer-store.ts';
import { silentLog } from '../../../support/log/logs.ts';

const STEP_MS = 25;

interface Given {
  readonly kinds: readonly string[];
  readonly exclusive: Exclusive;
}

/** A running process that counts its reads of overdue rows. */
const startProcess = async (
  { kinds, exclusive }: Given,
  on: {
    readonly rows: FakeTimerStore;
    readonly clock: ManualClock;
    readonly index: DueIndex;
    readonly generations: OwnGenerations;
  },
) => {
  const reads = { overdue: 0 };
  const overdue: FakeTimerStore['overdue'] = (query) => {
    reads.overdue += 1;
    return on.rows.overdue(query);
  };
  const store = sabotaged(on.rows, { overdue });
  const engine = new TimerEngine({ ...on, store, exclusive, log: silentLog, retentionMs: 3_600_000 });
  const fired: { readonly subject: string; readonly lateMs: number }[] = [];
  for (const kind of kinds) {
    engine.register({
      kind,
      fire: async (timers) => {
        for (const { subject, dueAtMs } of timers) fired.push({ subject, lateMs: on.clock.nowMs() - dueAtMs });
        return undefined;
      },
    });
  }
  await engine.start();
  return { engine, reads, fired, lateMs: () => fired.map(({ lateMs }) => lateMs) };
};

/** Two processes of one database and one index, which both lose and find again at once. */
const twoProcesses = async (first: Given, other: Given) => {
  const clock = new ManualClock(NOW_MS);
  const rows = new FakeTimerStore(clock.nowMs);
  const wheel = new MemoryDueIndex(clock);
  await beginGeneration(wheel);
  const availability = { isAvailable: true };
  const on = { rows, clock, index: sabotaged<DueIndex>(wheel, availability), generations: new OwnGenerations() };
  const [one, second] = [await startProcess(first, on), await startProcess(other, on)];
  const advance = async (byMs: number): Promise<void> => {
    for (let passedMs = 0; passedMs < byMs; passedMs += STEP_MS) {
      clock.advance(STEP_MS);
      await quiet();
    }
  };
  onTestFinished(async () => {
    const stopped = Promise.all([one.engine.stop(), second.engine.stop()]);
    await advance(STEP_MS);
    await stopped;
  });
  await advance(STEP_MS);
  return { one, second, timers: one.engine.timers, clock, availability, advance };
};

const leader: Given = { kinds: ['order'], exclusive: alwaysExclusive };
const hinter: Given = { kinds: ['hint'], exclusive: neverExclusive };
const follower: Given = { kinds: ['order', 'hint'], exclusive: neverExclusive };

it('while the index is whole two processes pass each other their kinds, within half a second', async () => {
  const { one, second, timers, clock, advance } = await twoProcesses(leader, hinter);
  const span = { fromMs: clock.nowMs(), spanMs: 4000 };
  await timers.schedule([...spread('order', 40, span), ...spread('hint', 40, span)]);
  await advance(5000);
  for (const { lateMs } of [one, second]) {
    expect(lateMs()).toHaveLength(40);
    expect(Math.max(...lateMs())).toBeLessThanOrEqual(500);
  }
});

describe('while the index is away', () => {
  it.each([
    ['one of them leads', leader],
    ['neither of them leads', { ...leader, exclusive: neverExclusive }],
  ])('two processes fire each its own kind within three seconds, though %s', async (_who, first) => {
    const { one, second, timers, clock, availability, advance } = await twoProcesses(first, hinter);
    availability.isAvailable = false;
    const span = { fromMs: clock.nowMs(), spanMs: 5000 };
    await timers.schedule([...spread('order', 20, span), ...spread('hint', 20, span)]);
    await advance(8100);
    for (const { lateMs } of [one, second]) {
      expect(lateMs()).toHaveLength(20);
      expect(Math.max(...lateMs())).toBeLessThanOrEqual(3000 + STEP_MS);
    }
    expect(Math.min(...second.lateMs())).toBeGreaterThanOrEqual(2000);
  });

  it('the leader alone fires what both can fire', async () => {
    const { one, second, timers, clock, availability, advance } = await twoProcesses(leader, follower);
    availability.isAvailable = false;
    await timers.schedule(spread('order', 50, { fromMs: clock.nowMs(), spanMs: 5000 }));
    await advance(8000);
    expect(one.fired).toHaveLength(50);
    expect(second.fired).toEqual([]);
  });
});

it('what was due when the index is back fires once, and a process that does not lead reads no more overdue rows', async () => {
  const { one, second, timers, clock, availability, advance } = await twoProcesses(leader, follower);
  availability.isAvailable = false;
  const span = { fromMs: clock.nowMs(), spanMs: 6000 };
  await timers.schedule([...spread('order', 40, span), ...spread('hint', 40, span)]);
  await advance(4500);
  const fired = () => [...one.fired, ...second.fired].map(({ subject }) => subject);
  expect(second.fired.length).toBeGreaterThan(0);
  expect(fired().length).toBeLessThan(60);
  availability.isAvailable = true;
  await advance(1000);
  const before = second.reads.overdue;
  await advance(15_000);
  expect(fired()).toHaveLength(80);
  expect(new Set(fired()).size).toBe(80);
  expect(second.reads.overdue).toBe(before);
});
