// What `npm run bench:peers` runs. `--quick`: one short round, records nothing. `--only bullmq,raw`, `--rounds 3`,
// `--pairs 5`, `--pending 10000,100000` choose; what leaves contenders out is printed and not recorded. `--page` writes
// the recorded page anew.
import { createDatabase } from '../../test/support/postgres/postgres-server.ts';
import { emptyRedis } from '../harness/empty-redis.ts';
import { currentCommit, currentLoad, describeMachine } from '../harness/machine.ts';
import { installOwnPackage } from '../harness/own-package.ts';
import { quietMachine } from '../harness/quiet.ts';
import { Stores } from '../harness/stores.ts';
import { contenderNamed } from './measure/contenders.ts';
import type { Measurement, PeersBlock } from './measure/measurement.ts';
import { measureInOwnProcess } from './measure-in-own-process.ts';
import { type Block, type Plan, planFrom } from './plan.ts';
import { recordPeers, rewritePage } from './report/record.ts';
import { pageOf } from './report/report.ts';

const args = process.argv.slice(2);
// As it was when it was read by Node: files may be changed while it runs.
const commit = currentCommit();

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const measureBlock = async (stores: Stores, block: Block): Promise<PeersBlock> => {
  const { pending, sizes, rounds } = block;
  const load = currentLoad();
  const measurements: Measurement[] = [];
  for (const [round, { names, isCallsAlone }] of rounds.entries()) {
    for (const contender of turned(names, round)) {
      await quietMachine(QUIET_AT_MOST_MS);
      const redisUrl = await stores.redisUrl();
      await emptyRedis(redisUrl, contenderNamed(contender).redis);
      const database = await createDatabase(await stores.postgresUrl());
      const servers = { redisUrl, postgresUrl: database.url };
      const startedAtMs = performance.now();
      const measurement = await measureInOwnProcess({ contender, pending, round, sizes, servers, isCallsAlone });
      await database.drop();
      measurements.push(measurement);
      const tookS = ((performance.now() - startedAtMs) / 1_000).toFixed(0);
      const which = `round ${round + 1} of ${rounds.length}${isCallsAlone ? ', calls' : ''}`;
      say(`  ${pending} pending · ${which} · ${contender}: ${measurement.failed ?? `${tookS} s`}`);
    }
  }
  return {
    atDay: new Date().toISOString().slice(0, 10),
    commit,
    command: ['npm run bench:peers', ...(args.length > 0 ? ['--', ...args] : [])].join(' '),
    machine: { ...(await describeMachine(await stores.postgresUrl(), await stores.redisUrl())), load },
    loadAtEnd: currentLoad(),
    pending,
    sizes,
    measurements,
  };
};

const QUIET_AT_MOST_MS = 1_000;

/** A prime, so that each round begins with another one, however many there are. */
const STRIDE = 7;

const turned = (names: readonly string[], round: number): readonly string[] => {
  const first = (round * STRIDE) % names.length;
  return [...names.slice(first), ...names.slice(0, first)];
};

/** Calls `onBlock` after each number of waiting timers. */
const measureAll = async ({ blocks }: Plan, onBlock: (block: PeersBlock) => void): Promise<void> => {
  installOwnPackage(import.meta.dirname, 'the peers', say);
  const stores = new Stores();
  try {
    for (const block of blocks) onBlock(await measureBlock(stores, block));
  } finally {
    await stores.stop();
  }
};

const plan = planFrom(args);
if (plan.isPageOnly) {
  rewritePage();
} else {
  const isWhole = !plan.isQuick && !args.some((arg) => arg.startsWith('--only'));
  await measureAll(plan, (block) => (isWhole ? recordPeers(block) : say(pageOf({ blocks: [block] }))));
}
