// `npm run bench:strategies`. `--pending 1000,100000`, `--rounds 3`, `--only ring,zset` choose; `--quick` is one short
// round. A run without some contenders is printed, not recorded. A record renews pages and plots.
import '../../test/support/machine/end-on-sigterm.ts';
import path from 'node:path';
import { renewFigures } from '../figures/pages.ts';
import { measureContest } from '../harness/contender-run.ts';
import { aligned } from '../harness/results.ts';
import { Stores } from '../harness/stores.ts';
import { planFrom } from './plan.ts';
import { recordStrategies, type StrategiesResult, tableOf } from './result/results.ts';

const args = process.argv.slice(2);

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const { isWhole, blocks, sizes } = planFrom(args);
const stores = new Stores();
const { measurements, ...run } = await measureContest({
  stores,
  command: ['npm run bench:strategies', ...(args.length > 0 ? ['--', ...args] : [])].join(' '),
  program: path.join(import.meta.dirname, 'measure-one.ts'),
  atMostMs: 180_000,
  quietAtMostMs: 500,
  blocks,
  say,
}).finally(() => stores.stop());
const result: StrategiesResult = { ...run, sizes, measurements };
for (const { pending } of blocks) say(`\n${pending} waiting\n${aligned(tableOf(result, pending))}`);
if (isWhole) {
  recordStrategies(result);
  await renewFigures(say);
}
