// `npm run bench:strategies`.
import '../../test/support/machine/end-on-sigterm.ts';
import path from 'node:path';
import { readWith } from '../../build/read-arguments.ts';
import { renewFigures } from '../figures/pages.ts';
import { measureContest, say } from '../harness/contender-run.ts';
import { aligned } from '../harness/results.ts';
import { planFrom } from './plan.ts';
import { recordStrategies, resultOf, tableOf } from './result/results.ts';

const usage = `npm run bench:strategies              measures all ways of keeping timers, records them, renews pages and plots
npm run bench:strategies -- --rounds 3          the same, three rounds of it
npm run bench:strategies -- --quick             one short round, records nothing
npm run bench:strategies -- --pending 1000,100000 --only ring,zset     chooses, prints, and records nothing
`;
const { isWhole, blocks } = readWith(usage, planFrom);
const program = path.join(import.meta.dirname, 'measure.ts');
const result = resultOf(
  await measureContest({ name: 'strategies', program, atMostMs: 180_000, quietAtMostMs: 500, blocks }),
);
for (const { pending } of blocks) say(`\n${pending} waiting\n${aligned(tableOf(result, pending))}`);
if (isWhole) {
  recordStrategies(result);
  await renewFigures(say);
}
