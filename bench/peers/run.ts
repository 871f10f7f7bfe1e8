// What `npm run bench:peers` runs. `--quick`: one short round, records nothing. `--only bullmq,raw`, `--rounds 3`,
// `--pending 10000,100000` choose; what leaves contenders out is printed and not recorded. `--page` writes the recorded
// page anew.
import { createDatabase } from '../../test/support/postgres/postgres-server.ts';
import { emptyRedis } from '../harness/empty-redis.ts';
import { currentCommit, currentLoad, describeMachine } from '../harness/machine.ts';
import { installOwnPackage } from '../harness/own-package.ts';
import { quietMachine } from '../harness/quiet.ts';
import { Stores } from '../harness/stores.ts';
import type { Measurement, PeersResult } from './measure/measurement.ts';
import { measureInOwnProcess } from './measure-in-own-process.ts';
import { type Block, type Plan, planFrom } from './plan.ts';
import { recordPeers, rewritePage } from './report/record.ts';
import { pageOf } from './report/report.ts';

const args = process.argv.slice(2);

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const measureBlock = async (stores: Stores, { names, pending, rounds, sizes }: Block): Promise<Measurement[]> => {
  const found: Measurement[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const first = (round * 5) % names.length;
    for (const contender of [...names.slice(first), ...names.slice(0, first)]) {
      await quietMachine(QUIET_AT_MOST_MS);
      const redisUrl = await stores.redisUrl();
      await emptyRedis(redisUrl);
      const database = await createDatabase(await stores.postgresUrl());
      const servers = { redisUrl, postgresUrl: database.url };
      const startedAtMs = performance.now();
      const measurement = await measureInOwnProcess({ contender, pending, round, sizes, servers });
      await database.drop();
      found.push(measurement);
      const tookS = ((performance.now() - startedAtMs) / 1_000).toFixed(0);
      say(
        `  ${pending} pending · round ${round + 1} of ${rounds} · ${contender}: ${measurement.failed ?? `${tookS} s`}`,
      );
    }
  }
  return found;
};

const QUIET_AT_MOST_MS = 1_000;

const measureAll = async ({ blocks }: Plan): Promise<PeersResult> => {
  installOwnPackage(import.meta.dirname, 'the peers', say);
  // As it was when it was read by Node: files may be changed while it runs.
  const [commit, load] = [currentCommit(), currentLoad()];
  const stores = new Stores();
  try {
    const measurements: Measurement[] = [];
    for (const block of blocks) measurements.push(...(await measureBlock(stores, block)));
    return {
      atDay: new Date().toISOString().slice(0, 10),
      commit,
      command: ['npm run bench:peers', ...(args.length > 0 ? ['--', ...args] : [])].join(' '),
      machine: { ...(await describeMachine(await stores.postgresUrl(), await stores.redisUrl())), load },
      loadAtEnd: currentLoad(),
      sizes: blocks.map(({ pending, sizes }) => ({ pending, ...sizes })),
      measurements,
    };
  } finally {
    await stores.stop();
  }
};

const plan = planFrom(args);
if (plan.isPageOnly) {
  rewritePage();
} else {
  const result = await measureAll(plan);
  const isWhole = !plan.isQuick && !args.some((arg) => arg.startsWith('--only'));
  if (isWhole) recordPeers(result);
  else say(pageOf(result));
}
