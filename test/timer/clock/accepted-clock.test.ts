import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../server/runtime/manual-clock.ts';
import { ClockGuard } from '../../../server/timer/clock/clock-guard.ts';
import { ClockWatch, type ClockWitness, type NotedTime } from '../../../server/timer/clock/clock-watch.ts';

const START_MS = 1_790_000_000_000;
const HOUR_MS = 3_600_000;

let truth: ManualClock;
let databaseOffMs: number;
let noted: NotedTime;
/** So many notes come too late: another process has written meanwhile. */
let lateNotes: number;
let notes: NotedTime[];
let told: (readonly [level: string, fields: object])[];

beforeEach(() => {
  truth = new ManualClock(START_MS);
  databaseOffMs = 0;
  lateNotes = 0;
  noted = { trustedAtMs: START_MS, heldByMs: 0 };
  notes = [];
  told = [];
});

const startWatch = async (witnesses: readonly ClockWitness[] = []) => {
  const record = {
    read: async () => ({ ...noted, isHere: false, databaseMs: truth.nowMs() + databaseOffMs }),
    note: async (change: NotedTime) => {
      notes.push(change);
      if (lateNotes > 0) {
        lateNotes -= 1;
        return false;
      }
      noted = change;
      return true;
    },
  };
  const at = (level: string) => (fields: object) => told.push([level, fields]);
  const log = { info: at('info'), warn: at('warn'), error: at('error') };
  const clock = { monotonicMs: () => truth.nowMs() - START_MS, after: truth.after };
  const watch = new ClockWatch({ guard: new ClockGuard(clock), record, clock, log, witnesses });
  await watch.begin();
  return watch;
};

const jump = async (watch: ClockWatch): Promise<void> => {
  databaseOffMs = HOUR_MS;
  truth.advance(1000);
  await watch.tick();
  notes = [];
};

describe('a clock that an operator accepts', () => {
  it('is noted as the database shows it, and told with its reason', async () => {
    const watch = await startWatch();
    await jump(watch);
    await watch.accept();
    expect(noted).toEqual({ trustedAtMs: truth.nowMs() + HOUR_MS, heldByMs: 0 });
    expect(notes).toHaveLength(1);
    expect(watch.state()).toEqual({ isHeld: false });
    expect(told).toEqual([
      ['warn', { code: 'clock/held', byMs: HOUR_MS }],
      ['info', { code: 'clock/followed', reason: 'operator', byMs: HOUR_MS }],
    ]);
  });

  it('is noted again where others wrote meanwhile, until it stands', async () => {
    const watch = await startWatch();
    await jump(watch);
    lateNotes = 4;
    await watch.accept();
    expect(noted).toEqual({ trustedAtMs: truth.nowMs() + HOUR_MS, heldByMs: 0 });
    expect(notes).toHaveLength(5);
  });

  it('is followed by this process also where it never could be noted; five tries are enough', async () => {
    const watch = await startWatch();
    await jump(watch);
    lateNotes = 1000;
    await watch.accept();
    // The sixth is that of the look afterwards: this process vouches for the clock now.
    expect(notes).toEqual(Array.from({ length: 6 }, () => ({ trustedAtMs: truth.nowMs() + HOUR_MS, heldByMs: 0 })));
    expect(watch.state()).toEqual({ isHeld: false });
  });

  it('is vouched for also by a process that held nothing, and nothing is told', async () => {
    const watch = await startWatch();
    noted = { trustedAtMs: START_MS, heldByMs: HOUR_MS };
    lateNotes = 1000;
    await watch.accept();
    expect(notes).toHaveLength(6);
    expect(told).toEqual([]);
  });
});

it('a clock that was put right is told of once, and so is the next jump after a minute', async () => {
  const watch = await startWatch();
  await jump(watch);
  databaseOffMs = 0;
  truth.advance(1000);
  await watch.tick();
  await watch.tick();
  expect(told.slice(1)).toEqual([['info', { code: 'clock/followed', reason: 'put right', byMs: 0 }]]);
  truth.advance(60_000);
  await watch.tick();
  await jump(watch);
  expect(told.slice(2)).toEqual([['warn', { code: 'clock/held', byMs: HOUR_MS }]]);
});

it('another process that follows the clock is followed, and named', async () => {
  const watch = await startWatch();
  await jump(watch);
  noted = { trustedAtMs: truth.nowMs() + HOUR_MS, heldByMs: 0 };
  truth.advance(1000);
  await watch.tick();
  expect(told.slice(1)).toEqual([['info', { code: 'clock/followed', reason: 'process', byMs: HOUR_MS }]]);
});

it('a process whose note came too late does not take the record for another’s word', async () => {
  const watch = await startWatch();
  lateNotes = 1;
  await jump(watch);
  truth.advance(1000);
  await watch.tick();
  expect(watch.state()).toMatchObject({ isHeld: true });
  expect(noted.heldByMs).toBe(HOUR_MS);
});

it('a process that took over a hold ends it with the others', async () => {
  databaseOffMs = HOUR_MS;
  noted = { trustedAtMs: START_MS + HOUR_MS, heldByMs: 0 };
  const watch = await startWatch();
  noted = { trustedAtMs: START_MS, heldByMs: HOUR_MS };
  await watch.tick();
  expect(watch.state()).toMatchObject({ isHeld: true, byMs: HOUR_MS });
  noted = { trustedAtMs: START_MS + HOUR_MS, heldByMs: 0 };
  await watch.tick();
  expect(watch.state()).toEqual({ isHeld: false });
});

describe('a witness', () => {
  it('that steps while the clock is trusted, or is silent for a while, is believed after a jump', async () => {
    let shownMs = (): number => truth.nowMs();
    const watch = await startWatch([{ name: 'other', isSettable: true, read: () => shownMs() }]);
    shownMs = () => truth.nowMs() - 10_000;
    truth.advance(1000);
    await watch.tick();
    shownMs = () => {
      throw new Error('away');
    };
    truth.advance(1000);
    await watch.tick();
    shownMs = () => truth.nowMs() - 10_000 + HOUR_MS;
    await jump(watch);
    expect(watch.state()).toEqual({ isHeld: false });
  });

  it('that never answers is waited for half a second', async () => {
    const starting = startWatch([{ name: 'stuck', isSettable: true, read: () => new Promise(() => undefined) }]);
    await new Promise(setImmediate);
    truth.advance(500);
    expect((await starting).state()).toEqual({ isHeld: false });
  });
});
