import { expect, it } from 'vitest';
import { linesOf, pageOf, shownBy } from './report.ts';

const rows = [
  { row: 1, promise: 'never wrong', atLeast: 100, of: 'tries' },
  { row: 2, promise: 'never late', atLeast: 2, of: 'runs' },
];
const proofs = [
  { row: 1, tries: 60, of: 'tries' },
  { row: 1, tries: 50, of: 'tries', seen: 'max 3 ms' },
  { row: 1, tries: 7, of: 'other tries' },
  { row: 2, tries: 5, of: 'runs' },
];
const surroundings = { commit: 'c0ffee', machine: '2 cores', day: '2026-01-02', minutes: 3, longRuns: [] };

it('adds up what was tried, and says what no violation in so many tries is worth', () => {
  const shown = shownBy(rows, proofs, new Map());
  expect(shown.map(({ isMet }) => isMet)).toEqual([true, true]);
  expect(linesOf(shown)[0]).toBe('✓  1 never wrong: 110 of 100 tries');
  const page = pageOf(shown, surroundings);
  expect(page).toContain('| 1 | never wrong | 110 tries; 7 other tries | 100 | 2.7e-2 | yes |');
  expect(page).toContain('1. max 3 ms');
});

it('does not call shown what was tried too seldom, or what a test of it saw broken', () => {
  const failures = new Map([[2, ['is on time']]]);
  const shown = shownBy(rows, proofs.slice(1), failures);
  expect(shown.map(({ isMet }) => isMet)).toEqual([false, false]);
  expect(pageOf(shown, surroundings)).toContain('2. FAILED: is on time');
});
