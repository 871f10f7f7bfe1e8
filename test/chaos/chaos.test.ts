import { beforeAll, describe, expect, inject, it } from 'vitest';
import { isProof, tries } from '../proof/table/tries.ts';
import { type PostgresServer, startPostgres } from '../support/postgres/postgres-server.ts';
import { prove } from '../support/properties/prove.ts';
import { isPlayed, proofsOf, rowsOf } from './proofs-of.ts';
import { runScenario } from './run-scenario.ts';
import { quickScenarios, testedScenarios } from './scenarios/all-scenarios.ts';
import { chaosPostgres } from './world/database.ts';

const SEED = 1;
const PLAYERS = tries({ test: 25, proof: 40 });

/** A scenario waits most of its time. Each lane has a Postgres of its own: in one scenario that is killed. */
const LANES = 2;
const scenarios = isProof ? testedScenarios : quickScenarios;
const lanes = Array.from({ length: LANES }, (_, lane) => scenarios.filter((_, at) => at % LANES === lane));

/** The same as `npm run chaos`, each scenario once. A failure names its seed: `npm run chaos -- --only <name> --seed <n>`. */
describe.skipIf(!inject('redisUrl'))(
  'each feeding completes exactly once, at its exact time, and nothing is lost, with',
  () => {
    for (const lane of lanes) {
      describe.concurrent('beside others', () => {
        let postgres: PostgresServer;
        beforeAll(async () => {
          postgres = await startPostgres(chaosPostgres);
          return () => postgres.stop();
        });

        it.for(lane)('$name', { concurrent: false, timeout: 120_000 }, async (scenario, context) => {
          context.task.meta.rows = rowsOf(scenario);
          let phase = '';
          context.onTestFailed(() => console.error(`${scenario.name} failed in the phase in which it ${phase}`));
          const tell = (what: string): void => {
            phase = what;
          };
          const run = await runScenario(scenario, { postgres, seed: SEED, players: PLAYERS, tell });
          expect(run.violations).toEqual([]);
          expect(run).toSatisfy(isPlayed);
          prove(context, ...proofsOf(run, scenario));
        });
      });
    }
  },
);
