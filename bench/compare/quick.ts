import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { currentLoad, describeMachine, Machine } from '../harness/machine.ts';
import { aligned, figures, recordedSamples } from '../harness/results.ts';
import { measureRow, type Samples } from '../harness/rounds.ts';
import type { Quick, Row } from '../harness/row.ts';
import type { Spread } from '../harness/spread.ts';
import type { Stores } from '../harness/stores.ts';
import { show, type Unit } from '../harness/tables.ts';
import { type Comparison, compare, joined } from './verdict.ts';

/** Quick runs compare within a round, so they do not wait long for a quiet machine. */
const LONGEST_WAIT_MS = 2_000;
/** Each pass has its own preparation: differences between passes are noise, too. */
const RECORDED_PASSES = 3;

interface QuickRun {
  readonly rows: readonly Row[];
  readonly stores: Stores;
  /** All rows, not some by name. */
  readonly isWhole: boolean;
  readonly say: (text: string) => void;
}

/** Measures little of each row, and prints what became worse since the baseline. True if nothing did. */
export const guardRows = async (run: QuickRun): Promise<boolean> => {
  const { rows, isWhole, say } = run;
  const baseline = readBaseline();
  const found: RowComparison[] = [];
  for (const row of rows) {
    const samples = await measureQuick(row, run);
    if (samples === undefined || row.quick === undefined) continue;
    const first = compareRow(row, row.quick, baseline, samples);
    // By chance about one in thirty figures is slow in all rounds, but hardly ever twice.
    const isDoubted = first.comparisons.some(({ verdict }) => verdict === 'worse');
    if (isDoubted) say(`  ${row.name} · once more, since it seems to be worse`);
    const again = isDoubted ? await measureQuick(row, run) : undefined;
    found.push(again ? compareRow(row, row.quick, baseline, joined(samples, again)) : first);
  }
  if (isWhole) found.push(...rowsGone(rows, baseline));
  say(`\n${guardTable(found)}`);
  const worse = failed(found);
  say(worse.length === 0 ? '\nNothing got worse.' : `\nGot worse by more than the noise:\n  ${worse.join('\n  ')}`);
  return worse.length === 0;
};

/** Records the baseline of later quick runs. */
export const recordQuick = async (run: QuickRun, commit: string): Promise<void> => {
  for (const row of run.rows) {
    if (row.quick === undefined) continue;
    const load = currentLoad();
    let samples: Samples = {};
    for (let pass = 0; pass < RECORDED_PASSES; pass += 1) {
      samples = joined(samples, (await measureQuick(row, run)) ?? {});
    }
    const { stores } = run;
    const machine = { ...(await describeMachine(await stores.postgresUrl(), await stores.redisUrl())), load };
    const atDay = new Date().toISOString().slice(0, 10);
    // Row by row, so that an interrupted run retains its rows.
    keepRow(row.name, { atDay, commit, machine, samples });
  }
  if (run.isWhole) keepOnly(run.rows.filter(({ quick }) => quick).map(({ name }) => name));
};

const measureQuick = async (row: Row, { stores, say }: QuickRun): Promise<Samples | undefined> => {
  const rounds = row.quick?.rounds ?? 1;
  const samples = await measureRow(row, { stores, say, rounds, isQuick: true, longestWaitMs: LONGEST_WAIT_MS });
  if (samples) say(`\n${row.name} · ${rounds} quick rounds, for information\n${figures({ ...row, samples })}\n`);
  return samples;
};

const compareRow = (row: Row, { guarded }: Quick, baseline: Baseline, samples: Samples): RowComparison => ({
  row,
  comparisons: guarded.map((each) => compare(each, baseline.rows[row.name]?.samples ?? {}, samples)),
});

/** Recorded rows that are no longer measured. */
const rowsGone = (rows: readonly Row[], baseline: Baseline): readonly RowComparison[] =>
  Object.entries(baseline.rows)
    .filter(([name]) => !rows.some((row) => row.name === name && row.quick))
    .map(([name]) => ({
      row: { name, figures: [] },
      comparisons: [compare({ of: 'the row', figure: 'itself', better: 'more' }, { 'the row': { itself: [1] } }, {})],
    }));

const file = path.join(import.meta.dirname, '../results/quick.json');

/** The baseline of quick runs: their rounds, row by row. */
const Baseline = z.object({
  rows: z.record(
    z.string(),
    z.object({
      atDay: z.string(),
      commit: z.string(),
      machine: Machine,
      samples: recordedSamples,
    }),
  ),
});
type Baseline = z.infer<typeof Baseline>;

const readBaseline = (): Baseline =>
  existsSync(file) ? Baseline.parse(JSON.parse(readFileSync(file, 'utf8'))) : { rows: {} };

/** Replaces one row. */
const keepRow = (name: string, recorded: Baseline['rows'][string]): void =>
  write({ ...readBaseline().rows, [name]: recorded });

/** Deletes rows that no longer exist. */
const keepOnly = (names: readonly string[]): void =>
  write(Object.fromEntries(Object.entries(readBaseline().rows).filter(([name]) => names.includes(name))));

const write = (rows: Baseline['rows']): void => writeFileSync(file, `${JSON.stringify({ rows }, null, 1)}\n`);

interface RowComparison {
  readonly row: Pick<Row, 'name' | 'figures'>;
  readonly comparisons: readonly Comparison[];
}

/** All guarded figures: recorded, measured, and the allowed difference. */
export const guardTable = (rows: readonly RowComparison[]): string =>
  aligned([
    ['guarded', 'recorded', 'now', 'noise', ''],
    ...rows.flatMap(({ row, comparisons }) =>
      comparisons.map((comparison) => [
        nameOf(row.name, comparison),
        cell(row, comparison, comparison.recorded),
        cell(row, comparison, comparison.now),
        `${Math.round((comparison.noise - 1) * 100)} %`,
        comparison.verdict === 'worse' || comparison.verdict === 'gone'
          ? comparison.verdict.toUpperCase()
          : comparison.verdict,
      ]),
    ),
  ]);

/** Figures that are worse by more than the noise, or gone. */
export const failed = (rows: readonly RowComparison[]): readonly string[] =>
  rows.flatMap(({ row, comparisons }) =>
    comparisons
      .filter(({ verdict }) => verdict === 'worse' || verdict === 'gone')
      .map((comparison) => `${nameOf(row.name, comparison)}: ${comparison.verdict}`),
  );

const nameOf = (row: string, { guarded: { of, figure, against } }: Comparison): string =>
  `${row} · ${of}: ${figure}${against === undefined ? '' : ` to ${against}`}`;

const cell = ({ figures }: RowComparison['row'], { guarded }: Comparison, spread: Spread | undefined): string => {
  if (!spread) return '-';
  const unit: Unit =
    guarded.against === undefined ? (figures.find(({ name }) => name === guarded.figure)?.unit ?? 'count') : 'ratio';
  return show(spread.median, unit);
};
