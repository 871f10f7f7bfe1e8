import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HANG_MS, tries } from '../proof/table/tries.ts';
import { prove } from '../support/properties/prove.ts';
import { calm, type History, playHistory } from './history.ts';
import { faultsOf } from './judge-end.ts';
import { planted } from './planted.ts';
import type { Sabotage } from './world/sim-world.ts';
import type { Fate } from './world/wire.ts';

const PARTS = tries({ test: 1, proof: 8 });
const SCENARIOS = tries({ test: PARTS, proof: 5 * PARTS });
/** Planted faults are looked for in two at least. */
const SAMPLED = Math.max(2, SCENARIOS);
const SEED = 7;
const fates: readonly Fate['how'][] = ['dies before', 'dies after', 'answer lost'];

/** Of a few commands each: more would only be more of the same points. */
const scenarios = fc
  .sample(calm, { numRuns: SAMPLED * 20, seed: SEED })
  .filter(({ acts }) => acts.length >= 3 && acts.length <= 8)
  .slice(0, SAMPLED);

/** Plays it once for each call that its processes make, and each thing that may befall that call. */
const strikeEverywhere = async (scenario: History, sabotage: Sabotage = {}): Promise<number> => {
  const { calls } = (await playHistory(scenario, sabotage)).world;
  let points = 0;
  for (let call = 1; call <= calls.count; call += 1) {
    for (const how of fates) {
      const ended = await playHistory(scenario, sabotage, { call, how });
      expect(ended.world.calls.struck, `call ${call} was made`).toBeDefined();
      expect(faultsOf(ended), `call ${call}, ${ended.world.calls.struck}: ${how}`).toEqual([]);
      points += 1;
    }
  }
  return points;
};

describe('at each call of a process to a store: it dies before, it dies after, the answer is lost', () => {
  it.for(Array.from({ length: PARTS }, (_, part) => part))(
    `part %i of ${PARTS}: nothing is lost, doubled or early`,
    { timeout: HANG_MS },
    async (part, context) => {
      const own = scenarios.slice(0, SCENARIOS).filter((_, at) => at % PARTS === part);
      expect(own.length).toBe(SCENARIOS / PARTS);
      let points = 0;
      for (const scenario of own) points += await strikeEverywhere(scenario);
      expect(points).toBeGreaterThan(200 * own.length);
      prove(
        context,
        { row: 2, tries: own.length, of: 'scenarios broken at each of their points' },
        { row: 2, tries: points, of: 'crash points' },
      );
    },
  );
});

// Of the faults that are planted with the sweeper there: without one, each point after a commit is one.
it('sees commands that are not remembered', { timeout: HANG_MS }, async () => {
  const fault = planted.find(({ name }) => name === 'commands that are not remembered');
  const strikeAll = async (): Promise<void> => {
    for (const scenario of scenarios) await strikeEverywhere(scenario, fault?.sabotage);
  };
  await expect(strikeAll()).rejects.toThrow(/call \d+, .+: (dies before|dies after|answer lost)/);
});
