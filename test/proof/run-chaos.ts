import { isPlayed, proofsOf, rowsOf } from '../chaos/proofs-of.ts';
import { type Run, runScenario } from '../chaos/run-scenario.ts';
import { allScenarios, testedScenarios } from '../chaos/scenarios/all-scenarios.ts';
import type { Scenario } from '../chaos/scenarios/scenario.ts';
import { chaosPostgres } from '../chaos/world/database.ts';
import { startPostgres } from '../support/postgres/postgres-server.ts';
import type { Failed, Findings } from './recorded.ts';

/** Faults that `npm test` has once or never, and that are wanted more often. */
const often: ReadonlyMap<string, number> = new Map([
  ['Postgres killed', 20],
  ['gateway killed', 8],
  ['all backends terminated', 1],
  ['connections to Postgres go silent', 1],
  ['killed again and again', 1],
  ['the embedded process killed again and again', 1],
]);
const PLAYERS = 200;

/** How often each is played here. The tests play some of them once; with one row alone they are not run. */
const timesOf = (row: number | undefined): readonly (readonly [scenario: Scenario, times: number])[] =>
  allScenarios
    .filter((scenario) => row === undefined || rowsOf(scenario).includes(row))
    .map((scenario) => {
      const beside = row !== undefined && testedScenarios.includes(scenario) ? 1 : 0;
      return [scenario, Math.max(often.get(scenario.name) ?? 0, beside)];
    });

export const runChaos = (findings: Findings, row: number | undefined): Promise<void> =>
  playAll(
    findings,
    timesOf(row).flatMap(([scenario, times]) => Array.from({ length: times }, (_, at) => ({ scenario, seed: at + 1 }))),
  );

/** Plays these scenarios again; returns those that there still are. */
export const runFailedChaos = async (findings: Findings, failed: Failed['scenarios']): Promise<Failed['scenarios']> => {
  const found = failed.flatMap((one) => {
    const scenario = allScenarios.find(({ name }) => name === one.scenario);
    return scenario ? [{ one, scenario, seed: one.seed }] : [];
  });
  await playAll(findings, found);
  return found.map(({ one }) => one);
};

interface Played {
  readonly scenario: Scenario;
  readonly seed: number;
}

const playAll = async (findings: Findings, wanted: readonly Played[]): Promise<void> => {
  if (wanted.length === 0) return;
  const postgres = await startPostgres(chaosPostgres);
  try {
    for (const { scenario, seed } of wanted) {
      const named = `${scenario.name}, seed ${seed}`;
      const fail = (what: string): void => findings.fail(rowsOf(scenario), `${named}, ${what}`);
      // A scenario that could not be played to its end is none that held.
      const run = await runScenario(scenario, { postgres, seed, players: PLAYERS }).catch((error: unknown) =>
        fail(`broken off, ${String(error)}`),
      );
      if (!run) continue;
      process.stdout.write(`${named}: ${run.violations.length} violations in ${run.feedings} feedings\n`);
      const [violation] = run.violations;
      if (violation) fail(`${run.violations.length} violations, ${violation.playerId}: ${violation.what}`);
      else if (!isPlayed(run)) fail(`0 violations, but hardly anything was played: ${playedIn(run)}`);
      else findings.proofs.push(...proofsOf(run, scenario));
    }
  } finally {
    await postgres.stop();
  }
};

const playedIn = ({ feedings, harvests, grants, rulesChanges, stockLooks }: Run): string =>
  `${feedings} feedings, ${harvests} harvests, ${grants} grants, ${rulesChanges} changes of rules, ${stockLooks} looks`;
