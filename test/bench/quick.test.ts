import { describe, expect, it } from 'vitest';
import { failed, guardTable } from '../../bench/compare/quick.ts';
import { type Comparison, compare, joined } from '../../bench/compare/verdict.ts';

const RATIO = { of: 'ours', figure: 'perSec', against: 'bare', better: 'more' } as const;
const COUNT = { of: 'ours', figure: 'bytes', better: 'less' } as const;

/** Rounds in which the bare contender does 100, so that ours is the ratio in percent. */
const rounds = (...perSec: readonly number[]) => ({ ours: { perSec }, bare: { perSec: perSec.map(() => 100) } });
const bytes = (...values: readonly number[]) => ({ ours: { bytes: values } });

const verdict = ({ verdict }: Comparison): string => verdict;

describe('a ratio', () => {
  it('that falls inside the noise is the same', () => {
    expect(verdict(compare(RATIO, rounds(50, 40, 60), rounds(42, 36, 44)))).toBe('same');
  });

  it('that falls by more than the rounds of both ever differed is worse', () => {
    const steady = compare(RATIO, rounds(50, 49, 51), rounds(30, 30, 30));
    expect(steady).toMatchObject({ verdict: 'worse', noise: 1.25 });
    expect(verdict(compare(RATIO, rounds(50, 20, 60), rounds(30, 30, 30)))).toBe('same');
    expect(verdict(compare(RATIO, rounds(50, 50, 50), rounds(30, 15, 30)))).toBe('same');
  });

  it('is noisy by what the recorded rounds and the new ones differ together', () => {
    expect(compare(RATIO, rounds(50, 40, 55), rounds(50, 50, 40)).noise).toBeCloseTo(1.25 * 1.25);
  });

  it('that rises by more than the noise is better', () => {
    expect(verdict(compare(RATIO, rounds(50, 49, 51), rounds(80, 79, 81)))).toBe('better');
  });

  it('of times falls when it rises', () => {
    const time = { ...RATIO, better: 'less' } as const;
    expect(verdict(compare(time, rounds(50, 50), rounds(80, 80)))).toBe('worse');
    expect(verdict(compare(time, rounds(50, 50), rounds(30, 30)))).toBe('better');
  });

  it('is made inside each round: a slow hour hurts both of its sides', () => {
    const slow = { ours: { perSec: [5, 50] }, bare: { perSec: [10, 100] } };
    expect(compare(RATIO, rounds(50, 50), slow)).toMatchObject({ verdict: 'same', now: { min: 0.5, max: 0.5 } });
  });
});

it('a count may differ by a tenth, not by more', () => {
  expect(verdict(compare(COUNT, bytes(100), bytes(109)))).toBe('same');
  expect(verdict(compare(COUNT, bytes(100), bytes(111)))).toBe('worse');
});

it('what was not recorded is new, and no failure; what is not measured any more is one', () => {
  const isNew = compare(RATIO, {}, rounds(50));
  const isGone = compare(RATIO, rounds(50), {});
  expect([isNew, isGone].map(verdict)).toEqual(['new', 'gone']);

  const row = { name: 'cards', figures: [{ name: 'perSec', unit: '/s' }] } as const;
  expect(failed([{ row, comparisons: [isNew, isGone] }])).toEqual(['cards · ours: perSec to bare: gone']);
});

it('a row that was measured twice has the rounds of both', () => {
  expect(joined(rounds(1, 2), { ...rounds(3), other: { perSec: [4] } })).toEqual({
    ours: { perSec: [1, 2, 3] },
    bare: { perSec: [100, 100, 100] },
    other: { perSec: [4] },
  });
});

it('a failure is named with the row, the figure and its measure, and stands out in the table', () => {
  const row = { name: 'cards', figures: [{ name: 'perSec', unit: '/s' }] } as const;
  const comparisons = [compare(RATIO, rounds(50, 50), rounds(30, 30)), compare(COUNT, bytes(10), bytes(10))];
  expect(failed([{ row, comparisons }])).toEqual(['cards · ours: perSec to bare: worse']);
  expect(guardTable([{ row, comparisons }])).toMatch(/cards · ours: perSec to bare +0\.50 x +0\.30 x +25 % +WORSE/);
});
