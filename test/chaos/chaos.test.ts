import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type PostgresServer, startPostgres } from '../support/postgres/postgres-server.ts';
import { prove } from '../support/properties/prove.ts';
import { chaosPostgres } from './chaos-postgres.ts';
import { proofsOf } from './proofs-of.ts';
import { runScenario } from './run-scenario.ts';
import { testedScenarios } from './scenarios/all-scenarios.ts';

const SEED = 1;
const PLAYERS = 40;

let postgres: PostgresServer;

/** The same as `npm run chaos`, each scenario once. A failure names its seed: `npm run chaos -- --only <name> --seed <n>`. */
describe.skipIf(!inject('redisUrl'))(
  'each feeding completes exactly once, at its exact time, and nothing is lost, with',
  () => {
    beforeAll(async () => {
      postgres = await startPostgres(chaosPostgres);
    });
    afterAll(() => postgres.stop());

    it.for(testedScenarios)('$name', { timeout: 120_000 }, async (scenario, context) => {
      const run = await runScenario(scenario, { postgres, seed: SEED, players: PLAYERS });
      expect(run.violations).toEqual([]);
      // A run in which hardly anything happened would prove nothing.
      expect(run.feedings).toBeGreaterThan(PLAYERS);
      prove(context, ...proofsOf(run, scenario));
    });
  },
);
