// `npm run bench:peers`.
import '../../test/support/machine/end-on-sigterm.ts';
import path from 'node:path';
import { readWith } from '../../build/read-arguments.ts';
import { measureContest, say } from '../harness/contender-run.ts';
import { installOwnPackage } from '../harness/own-package.ts';
import { contenderNamed } from './measure/contenders.ts';
import { planFrom } from './plan.ts';
import { pageOf, recordPeers, rewritePage } from './report/report.ts';

const usage = `npm run bench:peers                 measures Kibble and the other products, and records them
npm run bench:peers -- --quick      one short round, records nothing
npm run bench:peers -- --pending 10000,100000 --rounds 3 --pairs 5     chooses, and records; the defaults are these
npm run bench:peers -- --only bullmq,raw --in-flight 256               chooses, prints, and records nothing
npm run bench:peers -- --page       writes the recorded page again
`;
const { isPageOnly, isWhole, blocks } = readWith(usage, planFrom);
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
