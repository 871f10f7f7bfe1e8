// `npm run bench:peers`. `--quick`: one short round, records nothing. `--only bullmq,raw`, `--rounds 3`, `--pairs 5`,
// `--pending 10000,100000` choose; a run without some contenders is printed and not recorded. `--page` rewrites the
// recorded page.
import '../../test/support/machine/end-on-sigterm.ts';
import path from 'node:path';
import { measureContest, say } from '../harness/contender-run.ts';
import { installOwnPackage } from '../harness/own-package.ts';
import { contenderNamed } from './measure/contenders.ts';
import { planFrom } from './plan.ts';
import { pageOf, recordPeers, rewritePage } from './report/report.ts';

const { isPageOnly, isWhole, blocks } = planFrom(process.argv.slice(2));
if (isPageOnly) rewritePage();
else {
  installOwnPackage(import.meta.dirname, 'the peers', say);
  await measureContest(
    {
      name: 'peers',
      program: path.join(import.meta.dirname, 'measure-one.ts'),
      ...{ atMostMs: 300_000, quietAtMostMs: 1_000, blocks },
      redisOf: (contender) => contenderNamed(contender).redis,
    },
    (measured) => {
      const block = { ...measured, measurements: measured.measurements.map((each) => ({ settings: '', ...each })) };
      if (isWhole) recordPeers(block);
      else say(pageOf({ blocks: [block] }));
    },
  );
}
