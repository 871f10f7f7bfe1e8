// `npm run chaos`: breaks things under load and judges what is left.
import '../support/machine/end-on-sigterm.ts';
import { atLeast, readArguments } from '../../build/read-arguments.ts';
import { startPostgres } from '../support/postgres/postgres-server.ts';
import { isPlayed } from './proofs-of.ts';
import { type Run, runScenario } from './run-scenario.ts';
import { allScenarios } from './scenarios/all-scenarios.ts';
import { tableOf } from './table.ts';
import { chaosPostgres } from './world/database.ts';

const usage = `npm run chaos -- [--minutes n] [--seed n] [--only name] [--players n]
  all scenarios, or those whose name holds \`only\`: once, and then with other seeds until n minutes are over;
  60 players, if nothing else is said. It ends with 1 when a promise was broken.
`;
const { minutes, firstSeed, chosen, players } = readArguments(
  {
    usage,
    options: {
      minutes: { type: 'string', default: '0' },
      seed: { type: 'string', default: '1' },
      only: { type: 'string', default: '' },
      players: { type: 'string', default: '60' },
    },
  },
  ({ values }) => {
    const named = allScenarios.filter(({ name }) => name.includes(values.only));
    if (named.length === 0) throw new Error(`--only: one of ${allScenarios.map(({ name }) => name).join(', ')}`);
    return {
      minutes: atLeast(0, 'minutes', values.minutes),
      firstSeed: atLeast(0, 'seed', values.seed),
      chosen: named,
      players: atLeast(1, 'players', values.players),
    };
  },
);
const endAtMs = performance.now() + minutes * 60_000;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const postgres = await startPostgres(chaosPostgres);
const runs: Run[] = [];
/** A scenario that could not be played to its end is none that held. */
const brokenOff: string[] = [];
try {
  let seed = firstSeed;
  // Each round is another seed; at least one.
  do {
    for (const scenario of chosen) {
      const startedAtMs = performance.now();
      const seconds = (): string => `${((performance.now() - startedAtMs) / 1000).toFixed(1)} s`;
      const tell = (what: string): void => say(`${scenario.name} (seed ${seed}) ${what} ${seconds()}`);
      const run = await runScenario(scenario, { postgres, seed, players, hangs: true, tell }).catch(
        (error: unknown) => void brokenOff.push(`${scenario.name} (seed ${seed}): ${String(error)}`),
      );
      if (!run) {
        tell('was broken off after');
        continue;
      }
      runs.push(run);
      if (!isPlayed(run)) brokenOff.push(`${scenario.name} (seed ${seed}): hardly anything was played`);
      tell(`ended with ${run.violations.length} violations, max ${Math.round(run.lateness.committed.maxMs)} ms late,`);
      for (const { playerId, what } of run.violations.slice(0, 20)) say(`  ${playerId}: ${what}`);
    }
    seed += 1;
  } while (performance.now() < endAtMs);
} finally {
  await postgres.stop();
}
say(tableOf(runs));
for (const one of brokenOff) say(`broken off: ${one}`);
process.exit(brokenOff.length > 0 || runs.some(({ violations }) => violations.length > 0) ? 1 : 0);
