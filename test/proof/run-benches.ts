import { measureRow } from '../../bench/harness/measure-row.ts';
import { judge } from '../../bench/harness/report/verdict.ts';
import type { Row } from '../../bench/harness/row.ts';
import { Stores } from '../../bench/harness/stores.ts';
import { flooded } from '../../bench/rows/game/floods.ts';
import { healthy } from '../../bench/rows/game/healthy.ts';
import { herd } from '../../bench/rows/game/herd.ts';
import type { Proof } from '../support/properties/prove.ts';
import type { Findings } from './record/recorded.ts';
import { nothingWaits } from './runs/nothing-waits.ts';

/** What is measured and not tested. Each contender of the bench whose targets for `figures` are reached counts once. */
interface ProvingBench {
  readonly row: number;
  readonly of: string;
  readonly bench: Row;
  readonly figures: readonly string[];
}

const benches: readonly ProvingBench[] = [
  {
    row: 10,
    of: 'runs of 100 due a second, p99 <= 50 ms and max <= 500 ms',
    bench: healthy,
    figures: ['p99', 'max'],
  },
  { row: 10, of: 'herds of 100,000, commands p99 <= 150 ms', bench: herd, figures: ['command p99'] },
  {
    row: 18,
    of: 'benches of floods, at most 64 MB and p99 <= 100 ms',
    bench: flooded,
    figures: ['p99', 'growth'],
  },
];

/** Runs the benches, one round each, and records nothing. */
export const runBenches = async (findings: Findings, row: number | undefined): Promise<void> => {
  const stores = new Stores();
  try {
    for (const proving of benches.filter((each) => row === undefined || each.row === row)) {
      findings.proofs.push(...(await runBench(proving, stores)));
    }
    if (row === undefined || row === 21) findings.proofs.push(...(await nothingWaits(stores)));
  } finally {
    await stores.stop();
  }
};

const runBench = async ({ row, of, bench, figures }: ProvingBench, stores: Stores): Promise<Proof[]> => {
  const say = (text: string): void => void process.stdout.write(`${text}\n`);
  const samples = (await measureRow(bench, { stores, rounds: 1, isQuick: false, say })) ?? {};
  const verdicts = bench.targets
    .filter(({ figure }) => figures.includes(figure))
    .map((target) => judge(target, samples));
  return Object.keys(samples).flatMap((contender): Proof[] => {
    const own = verdicts.filter(({ target }) => target.of === contender);
    if (own.length === 0) return [];
    const said = own.map(({ target, found, isReached }) => {
      const figure = `${target.figure} ${Math.round(found?.median ?? Number.NaN)}`;
      return isReached ? figure : `${figure} (wanted: at most ${target.atMost})`;
    });
    const isReached = own.every((verdict) => verdict.isReached);
    return [{ row, of, tries: isReached ? 1 : 0, seen: `${bench.name}, ${contender}: ${said.join(', ')}` }];
  });
};
