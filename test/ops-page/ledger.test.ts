import { afterEach, describe, expect, it } from 'vitest';
import { sumOf } from '../../ops/parts/ledger.ts';
import { exactInstant, signed } from '../../ops/words/formats.ts';
import { speak } from '../../ops/words/words.ts';
import type { OpsStep } from '../../shared/ops/ops-explanation.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** Noon of the day and the place of whoever runs this. */
const NOON_MS = new Date(2026, 8, 21, 12).getTime();

afterEach(() => speak('en'));

const step = (type: OpsStep['type'], facts: OpsStep['facts'], dueMs: { before?: number; after?: number }): OpsStep => ({
  seq: 1,
  at: NOON_MS,
  type,
  facts,
  dueBeforeMs: dueMs.before,
  dueAfterMs: dueMs.after,
  effectMs: dueMs.before === undefined || dueMs.after === undefined ? 0 : dueMs.after - dueMs.before,
});

const sum = (...given: Parameters<typeof step>): string | undefined => sumOf(step(...given), NOON_MS);

describe('the sum of a step', () => {
  it('adds the work to the beginning', () => {
    const facts = { leftMs: 4 * HOUR_MS, sinceAtMs: NOON_MS };
    for (const type of ['started', 'arrived', 'kept'] as const) {
      expect(sum(type, facts, { after: NOON_MS + 4 * HOUR_MS })).toBe('12:00:00 + 4 h = 16:00:00');
    }
  });

  it('takes off what a boost gains while it lasts', () => {
    const facts = { leftBeforeMs: 4 * HOUR_MS, rate: 2, endsAtMs: NOON_MS + HOUR_MS };
    expect(sum('boosted', facts, { before: NOON_MS + 4 * HOUR_MS, after: NOON_MS + 3 * HOUR_MS })).toBe(
      '12:00:00 + 4 h − 1 h × (2 − 1) = 15:00:00',
    );
  });

  it('divides by the rate what a boost outlasts', () => {
    const facts = { leftBeforeMs: HOUR_MS, rate: 2, endsAtMs: NOON_MS + HOUR_MS };
    expect(sum('boosted', facts, { before: NOON_MS + HOUR_MS, after: NOON_MS + HOUR_MS / 2 })).toBe(
      '12:00:00 + 1 h ÷ 2 = 12:30:00',
    );
  });

  it('counts a boost of before into a feeding that begins under it', () => {
    const facts = {
      leftMs: 4 * HOUR_MS,
      sinceAtMs: NOON_MS,
      boostRate: 3,
      boostEndsAtMs: NOON_MS + 10 * MINUTE_MS,
    };
    expect(sum('started', facts, { after: NOON_MS + 4 * HOUR_MS - 20 * MINUTE_MS })).toBe(
      '12:00:00 + 4 h − 10 min × (3 − 1) = 15:40:00',
    );
  });

  it('says of a cut what was left before and after, and where that puts the due time', () => {
    const facts = { leftBeforeMs: 4 * HOUR_MS, cutMs: 2 * HOUR_MS, leftAfterMs: 2 * HOUR_MS };
    expect(sum('cut', facts, { before: NOON_MS + 4 * HOUR_MS, after: NOON_MS + 2 * HOUR_MS })).toBe(
      '4 h − 2 h = 2 h, 16:00:00 −2 h = 14:00:00',
    );
  });

  it('says of a shift by how much', () => {
    expect(sum('shifted', {}, { before: NOON_MS, after: NOON_MS + 90 * MINUTE_MS })).toBe(
      '12:00:00 +1 h 30 min = 13:30:00',
    );
  });

  it('is to the millisecond', () => {
    const facts = { leftMs: MINUTE_MS + 1, sinceAtMs: NOON_MS + 5 };
    expect(sum('started', facts, { after: NOON_MS + MINUTE_MS + 6 })).toBe(
      '12:00:00.005 + 1 min 0.001 s = 12:01:00.006',
    );
  });

  it('is not there when it would not come out, or when there is nothing to add', () => {
    const facts = { leftMs: 4 * HOUR_MS, sinceAtMs: NOON_MS };
    expect(sum('started', facts, { after: NOON_MS + 4 * HOUR_MS + 1 })).toBeUndefined();
    expect(sum('started', facts, {})).toBeUndefined();
    for (const type of ['armed', 'completed', 'stopped', 'moved-away'] as const) {
      expect(sum(type, {}, { before: NOON_MS, after: NOON_MS })).toBeUndefined();
    }
  });

  it('is in the language of the page', async () => {
    await speak('zh');
    const facts = { leftMs: 4 * HOUR_MS, sinceAtMs: NOON_MS };
    expect(sum('started', facts, { after: NOON_MS + 4 * HOUR_MS })).toBe('12:00:00 + 4 小时 = 16:00:00');
  });
});

describe('an instant', () => {
  it('has its date when that is another day than now', async () => {
    expect(exactInstant(NOON_MS, NOON_MS + 24 * HOUR_MS)).toMatch(/^21 Sept?, 12:00:00$/);
    await speak('zh');
    expect(exactInstant(NOON_MS + 7, NOON_MS + 24 * HOUR_MS)).toBe('9月21日 12:00:00.007');
  });

  it('moves by a signed span', () => {
    expect([signed(0), signed(-HOUR_MS), signed(25 * HOUR_MS)]).toEqual(['±0', '−1 h', '+1 d 1 h']);
  });
});
