import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../server/runtime/manual-clock.ts';
import { ClockGuard } from '../../../server/timer/clock/clock-guard.ts';
import { ClockWatch, type NotedTime } from '../../../server/timer/clock/clock-watch.ts';
import { recordedLog } from '../../support/log/logs.ts';

const START_MS = 1_790_000_000_000;
const HOUR_MS = 3_600_000;

/** The true time. The database's clock and each machine's show other times. */
let truth: ManualClock;
let databaseOffMs: number;
let isHere: boolean;
let noted: NotedTime;
let isReadLate: boolean;

beforeEach(() => {
  truth = new ManualClock(START_MS);
  databaseOffMs = 0;
  isHere = false;
  isReadLate = false;
  noted = { trustedAtMs: 0, heldByMs: 0 };
});

const record = {
  read: async () => {
    const seen = { ...noted, isHere, databaseMs: truth.nowMs() + databaseOffMs };
    if (isReadLate) truth.advance(600);
    return seen;
  },
  note: async (change: NotedTime, { heldByMs }: NotedTime) => {
    if (noted.heldByMs !== heldByMs) return false;
    noted = change;
    return true;
  },
};

/** A process, on a machine of its own. Its clocks begin anywhere. */
const startProcess = async () => {
  const own = { asleepMs: 0, stoppedMs: 0, machineOffMs: -4 * HOUR_MS, redisOffMs: 7 };
  const clock = { monotonicMs: () => truth.nowMs() - START_MS - own.asleepMs - own.stoppedMs, after: truth.after };
  const guard = new ClockGuard(clock);
  const { log, lines } = recordedLog();
  const watch = new ClockWatch({
    guard,
    record,
    clock,
    log,
    witnesses: [
      { name: 'uptime', isSettable: false, read: () => truth.nowMs() - START_MS + 55 - own.stoppedMs },
      { name: 'machine', isSettable: true, read: () => truth.nowMs() + own.machineOffMs },
      { name: 'redis', isSettable: true, read: async () => truth.nowMs() + own.redisOffMs },
      { name: 'broken', isSettable: false, read: () => Promise.reject(new Error('away')) },
    ],
  });
  await watch.begin();
  return {
    own,
    watch,
    lines,
    offMs: () => guard.reading()(truth.nowMs() + databaseOffMs) - truth.nowMs(),
  };
};
type Process = Awaited<ReturnType<typeof startProcess>>;

/** Seconds pass, and each process looks once in each. */
const pass = async (seconds: number, ...processes: readonly Process[]): Promise<void> => {
  for (let second = 0; second < seconds; second += 1) {
    truth.advance(1000);
    for (const { watch } of processes) await watch.tick();
  }
};
const expectHeld = (process: Process, byMs: number): void => {
  expect(process.offMs()).toBe(0);
  expect(process.watch.state()).toMatchObject({ isHeld: true, byMs });
};
const expectFollowed = (process: Process): void => {
  expect(process.offMs()).toBe(databaseOffMs);
  expect(process.watch.state()).toEqual({ isHeld: false });
};

describe('After a jump of the database’s clock', () => {
  it.each([HOUR_MS, -HOUR_MS, 4 * HOUR_MS, -4 * HOUR_MS, 3000])(
    'by %s ms that no other clock made, time is held, and one line says so',
    async (jumpMs) => {
      const process = await startProcess();
      await pass(5, process);
      truth.advance(1);
      process.offMs();
      databaseOffMs = jumpMs;
      await process.watch.tick();
      await pass(300, process);
      expectHeld(process, jumpMs);
      expect(process.lines).toEqual([{ level: 'warn', code: 'clock/held', message: expect.any(String) }]);
    },
  );

  it.each(['redisOffMs', 'machineOffMs'] as const)('that another clock made too (%s) time follows', async (which) => {
    const process = await startProcess();
    await pass(5, process);
    databaseOffMs += HOUR_MS;
    await pass(5, process);
    expectHeld(process, HOUR_MS);
    process.own[which] += HOUR_MS;
    await pass(1, process);
    expectFollowed(process);
    expect(process.lines.map(({ code }) => code)).toEqual(['clock/held', 'clock/followed']);
  });

  it('a clock that can be set is no other on the database’s own machine', async () => {
    isHere = true;
    const process = await startProcess();
    await pass(5, process);
    databaseOffMs += HOUR_MS;
    process.own.machineOffMs += HOUR_MS;
    process.own.redisOffMs += HOUR_MS;
    await pass(60, process);
    expectHeld(process, HOUR_MS);
  });

  it('a node clock that shows by chance what the database’s shows is no reason to follow', async () => {
    const process = await startProcess();
    process.own.machineOffMs = 4 * HOUR_MS;
    await pass(5, process);
    databaseOffMs = 4 * HOUR_MS;
    await pass(60, process);
    expectHeld(process, 4 * HOUR_MS);
  });

  it('clocks that were not read together say nothing', async () => {
    const process = await startProcess();
    await pass(5, process);
    databaseOffMs += HOUR_MS;
    process.own.redisOffMs += HOUR_MS;
    isReadLate = true;
    await pass(5, process);
    expect(process.watch.state()).toMatchObject({ isHeld: true });
    isReadLate = false;
    await pass(1, process);
    expectFollowed(process);
  });

  it('it is followed when it is put right, and two lines say so', async () => {
    const process = await startProcess();
    await pass(5, process);
    databaseOffMs = HOUR_MS;
    await pass(120, process);
    databaseOffMs = 0;
    await pass(1, process);
    expectFollowed(process);
    expect(process.lines.map(({ code }) => code)).toEqual(['clock/held', 'clock/followed']);
    await pass(1, process);
    expect(noted.heldByMs).toBe(0);
  });

  it('an operator’s word on one process is enough for all, in two seconds', async () => {
    const processes = [await startProcess(), await startProcess(), await startProcess()] as const;
    await pass(5, ...processes);
    databaseOffMs = -HOUR_MS;
    await pass(5, ...processes);
    for (const process of processes) expect(process.watch.state()).toMatchObject({ isHeld: true, direction: 'back' });
    await processes[1].watch.accept();
    await pass(2, ...processes);
    for (const process of processes) expectFollowed(process);
    await pass(120, ...processes);
    for (const process of processes) expectFollowed(process);
  });
});

describe('A process', () => {
  it('that slept follows at its first look: its machine counted the sleep', async () => {
    const process = await startProcess();
    await pass(5, process);
    truth.advance(HOUR_MS);
    process.own.asleepMs = HOUR_MS;
    await process.watch.tick();
    expectFollowed(process);
  });

  it('whose whole machine stood still follows when Redis agrees', async () => {
    const process = await startProcess();
    await pass(5, process);
    truth.advance(HOUR_MS);
    Object.assign(process.own, { stoppedMs: HOUR_MS, machineOffMs: process.own.machineOffMs - HOUR_MS });
    await process.watch.tick();
    expectFollowed(process);
  });

  it('whose machine stood still follows one that saw no jump, where no clock can tell', async () => {
    isHere = true;
    const still = await startProcess();
    const awake = await startProcess();
    await pass(70, still, awake);
    truth.advance(HOUR_MS);
    still.own.stoppedMs = HOUR_MS;
    await still.watch.tick();
    expect(still.watch.state()).toMatchObject({ isHeld: true, byMs: HOUR_MS });
    await pass(2, awake, still);
    expectFollowed(still);
    expectFollowed(awake);
  });

  it('that starts while others hold the time goes on with theirs, and follows with them', async () => {
    const first = await startProcess();
    await pass(70, first);
    databaseOffMs = 4 * HOUR_MS;
    await pass(5, first);
    const second = await startProcess();
    await pass(120, first, second);
    expectHeld(second, 4 * HOUR_MS);
    first.own.redisOffMs += 4 * HOUR_MS;
    await pass(2, first, second);
    expectFollowed(first);
    expectFollowed(second);
  });

  it('that starts in the second before the others have noticed takes their word', async () => {
    const first = await startProcess();
    await pass(70, first);
    databaseOffMs = 4 * HOUR_MS;
    const second = await startProcess();
    await pass(2, first, second);
    expectHeld(first, 4 * HOUR_MS);
    await pass(120, first, second);
    expectHeld(first, 4 * HOUR_MS);
    expectHeld(second, 4 * HOUR_MS);
  });

  it('that starts when all were gone begins no earlier than they stood', async () => {
    const first = await startProcess();
    await pass(70, first);
    databaseOffMs = -4 * HOUR_MS;
    truth.advance(10_000);
    const second = await startProcess();
    expect(second.watch.state()).toMatchObject({ isHeld: true, direction: 'back' });
    // Late by the time that it could not see: since another process trusted the clock.
    expect(second.offMs()).toBeLessThanOrEqual(0);
    expect(second.offMs()).toBeGreaterThan(-30_000);
  });

  it('that starts when all were gone in a hold goes on with it, or follows where it was put right', async () => {
    const first = await startProcess();
    await pass(70, first);
    databaseOffMs = 4 * HOUR_MS;
    await pass(5, first);
    truth.advance(HOUR_MS);
    expectHeld(await startProcess(), 4 * HOUR_MS);
    databaseOffMs = 0;
    expectFollowed(await startProcess());
  });

  it('notes the time every ten seconds, and no more often', async () => {
    const process = await startProcess();
    const seen = new Set<number>();
    for (let second = 0; second < 60; second += 1) {
      await pass(1, process);
      seen.add(noted.trustedAtMs);
    }
    expect(seen.size).toBeLessThanOrEqual(7);
    expect(truth.nowMs() - noted.trustedAtMs).toBeLessThan(10_000);
  });
});
