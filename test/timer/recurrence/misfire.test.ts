import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeTurn, type MisfirePolicy } from '../../../server/timer/recurrence/misfire.ts';
import type { Recurrence } from '../../../server/timer/recurrence/recurrence.ts';

const DUE_MS = 1_790_000_000_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const hourly: Recurrence = { every: { ms: HOUR_MS } };

const judged = (policy: MisfirePolicy, lateMs: number, recurrence?: Recurrence, deferredMs = 0) =>
  judgeTurn({ turn: 4, dueAtMs: DUE_MS, fireAtMs: DUE_MS + deferredMs, recurrence }, policy, DUE_MS + lateMs);

describe('a timer that comes once', () => {
  it('is no misfire up to a minute, and fires however late unless its policy is another', () => {
    expect(judged({ late: 'skip' }, MINUTE_MS)).toBeUndefined();
    expect(judged({ late: 'skip' }, MINUTE_MS + 1)).toMatchObject({ verdict: 'skip', next: undefined });
    expect(judged({}, 1000 * HOUR_MS)).toBeUndefined();
    expect(judged({ late: 'dead', afterMs: 0 }, 1)).toMatchObject({ verdict: 'dead', lateness: { lateMs: 1 } });
  });

  it('is handed over with how late it was', () => {
    expect(judged({ late: 'hand', afterMs: 5000 }, 7000)).toEqual({
      verdict: 'fire',
      turn: { turn: 4, dueAtMs: DUE_MS },
      lateness: { turn: 4, dueAtMs: DUE_MS, lateMs: 7000, missed: 0, isMisfire: true },
    });
  });

  it('is no misfire because our own lane deferred it', () => {
    const policy = { late: 'skip', afterMs: MINUTE_MS } as const;
    expect(judged(policy, 80_000, undefined, 50_000)).toBeUndefined();
    expect(judged(policy, 80_000, hourly, 50_000)).toBeUndefined();
    expect(judged(policy, 50_000 + MINUTE_MS + 1, undefined, 50_000)).toMatchObject({ verdict: 'skip' });
  });
});

describe('of the turns that a recurrence missed in 3.5 hours', () => {
  const lateMs = 3.5 * HOUR_MS;
  const last = { turn: 7, dueAtMs: DUE_MS + 3 * HOUR_MS };
  const next = { turn: 8, dueAtMs: DUE_MS + 4 * HOUR_MS };

  it('the last one fires and counts the others', () => {
    const lateness = { ...last, lateMs: HOUR_MS / 2, missed: 3, isMisfire: false };
    expect(judged({}, lateMs, hourly)).toEqual({ verdict: 'fire', turn: last, lateness });
    expect(judged({ late: 'hand' }, lateMs, hourly)).toMatchObject({ turn: last, lateness: { isMisfire: true } });
    expect(judged({ late: 'hand', afterMs: HOUR_MS }, lateMs, hourly)).toEqual({
      verdict: 'fire',
      turn: last,
      lateness,
    });
    expect(judged({ late: 'dead' }, lateMs, hourly)).toMatchObject({ verdict: 'dead', turn: last });
    expect(judged({ late: 'skip' }, lateMs, hourly)).toMatchObject({ verdict: 'skip', next });
  });

  it('none fires, unless the last one is in time', () => {
    expect(judged({ missed: 'none' }, lateMs, hourly)).toMatchObject({ verdict: 'skip', next });
    expect(judged({ missed: 'none' }, 3 * HOUR_MS + MINUTE_MS, hourly)).toMatchObject({ verdict: 'fire', turn: last });
  });

  it('all fire, from the first on', () => {
    expect(judged({ missed: 'all' }, lateMs, hourly)).toBeUndefined();
    expect(judged({ missed: 'all', late: 'hand' }, lateMs, hourly)).toMatchObject({
      turn: { turn: 4 },
      lateness: { missed: 0 },
    });
    expect(judged({ missed: 'all', late: 'skip', afterMs: 2 * HOUR_MS }, lateMs, hourly)).toMatchObject({
      next: { turn: 6, dueAtMs: DUE_MS + 2 * HOUR_MS },
    });
  });

  it('none is behind the end of the recurrence', () => {
    const ended = { every: { ms: HOUR_MS, times: 6 } };
    expect(judged({}, lateMs, ended)).toMatchObject({ turn: { turn: 6 } });
    expect(judged({ late: 'skip' }, lateMs, ended)).toMatchObject({ verdict: 'skip', next: undefined });
  });
});

const policies = fc.record({
  afterMs: fc.constantFrom(0, 1000, MINUTE_MS, HOUR_MS),
  late: fc.constantFrom('fire', 'skip', 'hand', 'dead'),
  missed: fc.constantFrom('all', 'last', 'none'),
} as const);

it('never fires a turn that is not due, never goes back, and counts every turn', () => {
  fc.assert(
    fc.property(policies, fc.nat(50 * HOUR_MS), fc.integer({ min: 1000, max: 5 * HOUR_MS }), (policy, lateMs, ms) => {
      const nowMs = DUE_MS + lateMs;
      const judgement = judged(policy, lateMs, { every: { ms } });
      const turn = judgement === undefined || judgement.verdict === 'skip' ? undefined : judgement.turn;
      if (turn) {
        expect(turn.dueAtMs).toBeLessThanOrEqual(nowMs);
        expect(turn.turn - 4).toBe(judgement?.lateness.missed);
      }
      const coming = judgement?.verdict === 'skip' ? judgement.next : turn;
      if (coming) expect(coming.dueAtMs - DUE_MS).toBe((coming.turn - 4) * ms);
      if (judgement?.verdict === 'skip') expect(coming?.dueAtMs).toBeGreaterThanOrEqual(nowMs - policy.afterMs);
    }),
  );
});
