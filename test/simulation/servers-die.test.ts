import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HANG_MS, tries } from '../proof/table/tries.ts';
import { prove } from '../support/properties/prove.ts';
import { playHistory, rough } from './history.ts';
import { hold, parts } from './hold.ts';

const RUNS = tries({ test: 600, proof: 30_000 });
const ALL_SWEEP = tries({ test: 100, proof: 3_000 });
const PLAYED_TWICE = tries({ test: 30, proof: 1_000 });

describe('keeps its promises whatever dies, freezes, is lost, comes late or is said twice', () => {
  it.for(parts(RUNS))('part $part: $runs histories', { timeout: HANG_MS }, async ({ part, runs }, context) => {
    const tally = await hold({ histories: rough, runs, seed: part });
    const { histories, completions, doubledCalls, lostCommits, transactions, turns } = tally;
    prove(
      context,
      ...[
        { row: 1, tries: histories, of: 'histories' },
        { row: 6, tries: completions, of: 'completions, clocks of processes up to 10 s wrong' },
        { row: 7, tries: doubledCalls, of: 'calls done twice' },
        { row: 7, tries: turns, of: 'turns of own timers (simulated)' },
        { row: 8, tries: lostCommits, of: 'commits whose answer was lost (simulated)' },
        { row: 8, tries: transactions, of: 'transactions of games with calls of timers (simulated)' },
        { row: 9, tries: completions, of: 'completions' },
      ],
    );
  });
});

it(`keeps them in ${ALL_SWEEP} histories in which every process sweeps, compares, refills and drops as if alone`, {
  timeout: HANG_MS,
}, async () => {
  // Several that refill at once cost a quarter of a second where all else is well, so nothing is called well here.
  const stormy = rough.map((history) => ({ ...history, isStormy: true }));
  await hold({ histories: stormy, runs: ALL_SWEEP, sabotage: { isRightOfAll: true } });
});

it(`plays each of ${PLAYED_TWICE} histories in the same way when it is played again`, {
  timeout: HANG_MS,
}, async (context) => {
  await fc.assert(
    fc.asyncProperty(rough, async (history) => {
      const [once, again] = [await playHistory(history), await playHistory(history)];
      expect(again.world.kernel.traceHash).toBe(once.world.kernel.traceHash);
      expect(again.world.kernel.steps).toBe(once.world.kernel.steps);
    }),
    { numRuns: PLAYED_TWICE },
  );
  prove(context, { row: 4, tries: PLAYED_TWICE, of: 'histories played twice' });
});
