import { currentCommit, currentLoad, describeMachine } from '../harness/machine.ts';
import { measureRow } from '../harness/measure-row.ts';
import { figures } from '../harness/report/report.ts';
import type { Samples } from '../harness/rounds.ts';
import type { Quick, Row } from '../harness/row.ts';
import type { Stores } from '../harness/stores.ts';
import { type Baseline, keepOnly, keepRow, readBaseline } from './baseline.ts';
import { compare, joined } from './compare.ts';
import { failed, guardTable, type RowComparison } from './report.ts';

/** Quick runs do not wait long for others: they compare within a round. */
const LONGEST_WAIT_MS = 2_000;
/** Each with a preparation of its own: what differs between two of them is noise, too. */
const RECORDED_PASSES = 3;

export interface QuickRun {
  readonly rows: readonly Row[];
  readonly stores: Stores;
  /** All rows that there are, and not some by name. */
  readonly isWhole: boolean;
  readonly say: (text: string) => void;
}

/** Measures little of each row, and says what got worse since the baseline was recorded. True when nothing did. */
export const guardRows = async (run: QuickRun): Promise<boolean> => {
  const { rows, isWhole, say } = run;
  const baseline = readBaseline();
  const found: RowComparison[] = [];
  for (const row of rows) {
    const samples = await measureQuick(row, run);
    if (samples === undefined || row.quick === undefined) continue;
    const first = compareRow(row, row.quick, baseline, samples);
    // Once in some thirty figures all rounds are slow by chance; hardly ever twice.
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

/** Keeps what later quick runs are compared with. */
export const recordQuick = async (run: QuickRun): Promise<void> => {
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
    // Row by row: a record that is broken off keeps what it has.
    keepRow(row.name, { atDay, commit: currentCommit(), machine, samples });
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

/** What was recorded of rows that nobody measures any more. */
const rowsGone = (rows: readonly Row[], baseline: Baseline): readonly RowComparison[] =>
  Object.entries(baseline.rows)
    .filter(([name]) => !rows.some((row) => row.name === name && row.quick))
    .map(([name]) => ({
      row: { name, figures: [] },
      comparisons: [compare({ of: 'the row', figure: 'itself', better: 'more' }, { 'the row': { itself: [1] } }, {})],
    }));
