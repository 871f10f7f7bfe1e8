import { afterEach, describe, expect, it } from 'vitest';
import { sumOf } from '../../ops/parts/ledger.ts';
import { exactInstant, signed } from '../../ops/words/formats.ts';
import { speak } from '../../ops/words/words.ts';
import type { OpsStep } from '../../shared/ops/ops-explanation.ts';
import type { OpsWork } from '../../shared/ops/ops-thing.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** Noon, at the day and place of this run. */
const NOON_MS = new Date(2026, 8, 21, 12).getTime();

afterEach(() => speak('en'));

interface Given {
  readonly due: { readonly before?: number; readonly after?: number };
  readonly before?: OpsWork;
  readonly after?: OpsWork;
}

const sum = ({ due, before, after }: Given): string | undefined => {
  const step: OpsStep = {
    seq: 1,
    at: NOON_MS,
    readAtMs: undefined,
    type: 'some',
    facts: {},
    dueBeforeMs: due.before,
    dueAfterMs: due.after,
    effectMs: due.before === undefined || due.after === undefined ? 0 : due.after - due.before,
    workBefore: before,
    workAfter: after,
  };
  return sumOf(step, NOON_MS);
};

const work = (leftMs: number, boost?: OpsWork['boost'], sinceAtMs = NOON_MS): OpsWork => ({ leftMs, sinceAtMs, boost });

describe('the sum of a step', () => {
  it('adds the work to the beginning', () => {
    const after = work(4 * HOUR_MS);
    expect(sum({ due: { after: NOON_MS + 4 * HOUR_MS }, after })).toBe('12:00:00 + 4 h = 16:00:00');
  });

  it('takes off what a boost gains while it lasts', () => {
    const due = { before: NOON_MS + 4 * HOUR_MS, after: NOON_MS + 3 * HOUR_MS };
    const after = work(4 * HOUR_MS, { rate: 2, endsAtMs: NOON_MS + HOUR_MS });
    expect(sum({ due, before: work(4 * HOUR_MS), after })).toBe('12:00:00 + 4 h − 1 h × (2 − 1) = 15:00:00');
  });

  it('divides by the rate what a boost outlasts', () => {
    const due = { before: NOON_MS + HOUR_MS, after: NOON_MS + HOUR_MS / 2 };
    const after = work(HOUR_MS, { rate: 2, endsAtMs: NOON_MS + HOUR_MS });
    expect(sum({ due, before: work(HOUR_MS), after })).toBe('12:00:00 + 1 h ÷ 2 = 12:30:00');
  });

  it('counts a boost of before into work that begins under it', () => {
    const after = work(4 * HOUR_MS, { rate: 3, endsAtMs: NOON_MS + 10 * MINUTE_MS });
    expect(sum({ due: { after: NOON_MS + 4 * HOUR_MS - 20 * MINUTE_MS }, after })).toBe(
      '12:00:00 + 4 h − 10 min × (3 − 1) = 15:40:00',
    );
  });

  it('says of a cut what was left before and after, and where that puts the due time', () => {
    const due = { before: NOON_MS + 4 * HOUR_MS, after: NOON_MS + 2 * HOUR_MS };
    expect(sum({ due, before: work(4 * HOUR_MS), after: work(2 * HOUR_MS) })).toBe(
      '4 h − 2 h = 2 h, 16:00:00 −2 h = 14:00:00',
    );
  });

  it('says of a shift by how much, with work and without', () => {
    const due = { before: NOON_MS + HOUR_MS, after: NOON_MS + 2.5 * HOUR_MS };
    const said = '13:00:00 +1 h 30 min = 14:30:00';
    expect(sum({ due })).toBe(said);
    expect(sum({ due, before: work(HOUR_MS), after: work(2.5 * HOUR_MS) })).toBe(said);
  });

  it('is to the millisecond', () => {
    const after = work(MINUTE_MS + 1, undefined, NOON_MS + 5);
    expect(sum({ due: { after: NOON_MS + MINUTE_MS + 6 }, after })).toBe('12:00:00.005 + 1 min 0.001 s = 12:01:00.006');
  });

  it('is not there when it would not come out, or when there is nothing to add', () => {
    expect(sum({ due: { after: NOON_MS + 4 * HOUR_MS + 1 }, after: work(4 * HOUR_MS) })).toBeUndefined();
    expect(sum({ due: { after: NOON_MS } })).toBeUndefined();
    expect(sum({ due: {}, before: work(HOUR_MS) })).toBeUndefined();
    expect(sum({ due: { before: NOON_MS, after: NOON_MS } })).toBeUndefined();
  });

  it('is in the language of the page', async () => {
    await speak('zh');
    expect(sum({ due: { after: NOON_MS + 4 * HOUR_MS }, after: work(4 * HOUR_MS) })).toBe(
      '12:00:00 + 4 小时 = 16:00:00',
    );
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
