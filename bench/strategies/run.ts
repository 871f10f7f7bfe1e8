// `npm run bench:strategies`. `--pending 1000,100000`, `--rounds 3`, `--only ring,zset` choose; `--quick` is one short
// round. A run without some contenders is printed, not recorded. A record renews pages and plots.
import '../../test/support/machine/end-on-sigterm.ts';
import path from 'node:path';
import { renewFigures } from '../figures/pages.ts';
import { measureContest, say } from '../harness/contender-run.ts';
import { aligned } from '../harness/results.ts';
import { planFrom } from './plan.ts';
import { recordStrategies, resultOf, tableOf } from './result/results.ts';

const { isWhole, blocks } = planFrom(process.argv.slice(2));
const program = path.join(import.meta.dirname, 'measure.ts');
const result = resultOf(
  await measureContest({ name: 'strategies', program, atMostMs: 180_000, quietAtMostMs: 500, blocks }),
);
for (const { pending } of blocks) say(`\n${pending} waiting\n${aligned(tableOf(result, pending))}`);
if (isWhole) {
  recordStrategies(result);
  await renewFigures(say);
}
