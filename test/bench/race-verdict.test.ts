import { expect, it } from 'vitest';
import { judgeRace, type RaceCall } from '../../bench/peers/phases/race.ts';

/** Due at 1,000, to be moved to 5,000 by a call from 990 to 995. */
const call = (change: Partial<RaceCall>): RaceCall => ({
  dueAtMs: 1_000,
  newDueAtMs: 5_000,
  calledAtMs: 990,
  answeredAtMs: 995,
  outcome: 'applied',
  fires: [5_001],
  ...change,
});

const wrongs = ['failed', 'stale', 'again', 'doubled', 'ignored', 'lost', 'early'] as const;
const wrongIn = (...calls: RaceCall[]): readonly string[] => {
  const verdict = judgeRace(calls);
  return wrongs.filter((wrong) => verdict[wrong] !== 0);
};

it('finds nothing wrong with a timer that fires once, at the time that its caller was told', () => {
  expect(wrongIn(call({}))).toEqual([]);
  expect(wrongIn(call({ outcome: 'too-late', fires: [1_001] }))).toEqual([]);
  expect(wrongIn(call({ outcome: 'silent' }))).toEqual([]);
});

it('forgives the rounding of one clock', () => {
  expect(wrongIn(call({ fires: [4_998.5] }))).toEqual([]);
});

it.each<[string, Partial<RaceCall>, readonly string[]]>([
  ['the old time after the change was answered', { fires: [1_003, 5_001] }, ['stale', 'doubled']],
  ['the old time, without an answer', { outcome: 'silent', fires: [1_003, 5_001] }, ['stale', 'doubled']],
  ['the old time alone', { fires: [1_003] }, ['stale', 'ignored']],
  ['the old time while the call was on its way, and no more', { answeredAtMs: 1_010, fires: [1_003] }, ['ignored']],
  ['before the call, and once more', { calledAtMs: 1_050, answeredAtMs: 1_060, fires: [1_003, 5_001] }, ['again']],
  ['twice at the new time', { fires: [5_001, 5_400] }, ['doubled']],
  ['twice although the change was refused', { outcome: 'too-late', fires: [1_001, 1_400] }, ['doubled']],
  ['at the old time after an error', { outcome: 'failed', fires: [1_003] }, ['failed']],
  ['never', { fires: [] }, ['lost']],
  ['before any due time', { fires: [900, 5_001] }, ['again', 'early']],
])('names a timer that fired %s', (_, change, found) => {
  expect(wrongIn(call(change))).toEqual(found);
});

it('counts the answers, and how long after one the worst stale fire came', () => {
  const verdict = judgeRace([
    call({}),
    call({ outcome: 'too-late', fires: [1_001] }),
    call({ outcome: 'silent', fires: [1_095, 5_001] }),
  ]);

  expect(verdict).toMatchObject({ raceCalls: 3, raceApplied: 1, raceRefused: 1, raceSilent: 1, staleWorstMs: 100 });
});
