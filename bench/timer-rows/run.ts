// Postgres' cost of a timer's rows in several checkouts, in turn: `node bench/timer-rows/run.ts ../before .` `--chain`:
// for things that complete and are due again. Sizes: TIMERS (60000), ROUNDS (3). Prints medians, µs per row.
import { createDatabase } from '../../test/support/postgres/postgres-server.ts';
import { quantile } from '../harness/spread.ts';
import { Stores } from '../harness/stores.ts';
import { type Costs, measureChain, measureStore } from './measure.ts';

const measure = process.argv.includes('--chain') ? measureChain : measureStore;
const roots = process.argv.slice(2).filter((each) => each !== '--chain');
const count = Number(process.env.TIMERS ?? 60_000);
const rounds = Number(process.env.ROUNDS ?? 3);

const main = async (): Promise<void> => {
  if (roots.length === 0) throw new Error('name the checkouts to compare');
  const stores = new Stores();
  try {
    const url = await stores.postgresUrl();
    const found = new Map<string, Costs[]>(roots.map((root) => [root, []]));
    for (let round = 0; round < rounds; round += 1) {
      for (const root of round % 2 === 0 ? roots : roots.toReversed()) {
        const database = await createDatabase(url);
        found.get(root)?.push(await measure({ root, url: database.url, count }));
        await database.drop();
      }
    }
    for (const phase of Object.keys(found.get(roots[0] ?? '')?.[0] ?? {})) {
      const values = roots.map((root) => (found.get(root) ?? []).map((costs) => costs[phase] ?? Number.NaN));
      const cells = values.map(
        (each) => `${quantile(each, 0.5).toFixed(1)} (${each.map((one) => one.toFixed(0)).join(' ')})`,
      );
      process.stdout.write(`${phase.padEnd(24)}${cells.join('  |  ')}\n`);
    }
  } finally {
    await stores.stop();
  }
};

await main();
