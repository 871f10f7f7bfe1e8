// `npm run bench:peers`. `--quick`: one short round, records nothing. `--only bullmq,raw`, `--rounds 3`, `--pairs 5`,
// `--pending 10000,100000` choose; a run without some contenders is printed and not recorded. `--page` rewrites the
// recorded page.
import '../../test/support/machine/end-on-sigterm.ts';
import path from 'node:path';
import { measureContest } from '../harness/contender-run.ts';
import { installOwnPackage } from '../harness/own-package.ts';
import { Stores } from '../harness/stores.ts';
import { contenderNamed } from './measure/contenders.ts';
import type { PeersBlock } from './measure/measurement.ts';
import { type Plan, planFrom } from './plan.ts';
import { recordPeers, rewritePage } from './report/record.ts';
import { pageOf } from './report/report.ts';

const args = process.argv.slice(2);

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** Calls `onBlock` after each number of waiting timers. */
const measureAll = async ({ blocks }: Plan, onBlock: (block: PeersBlock) => void): Promise<void> => {
  installOwnPackage(import.meta.dirname, 'the peers', say);
  const stores = new Stores();
  try {
    for (const block of blocks) {
      const { measurements, ...run } = await measureContest({
        stores,
        command: ['npm run bench:peers', ...(args.length > 0 ? ['--', ...args] : [])].join(' '),
        program: path.join(import.meta.dirname, 'measure-one.ts'),
        atMostMs: 300_000,
        quietAtMostMs: 1_000,
        redisOf: (contender) => contenderNamed(contender).redis,
        blocks: [block],
        say,
      });
      const { pending, sizes } = block;
      onBlock({
        ...run,
        pending,
        sizes,
        measurements: measurements.map((each) => ({ settings: '', ...each })),
      });
    }
  } finally {
    await stores.stop();
  }
};

const plan = planFrom(args);
if (plan.isPageOnly) rewritePage();
else await measureAll(plan, (block) => (plan.isWhole ? recordPeers(block) : say(pageOf({ blocks: [block] }))));
