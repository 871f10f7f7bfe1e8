import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { Machine, machineText } from './machine.ts';
import { figureTable, type Measured, type Table, targetTable } from './tables.ts';

/** JSON writes NaN, for a figure that a round lacks, as null. */
const recordedValue = z.number().or(z.null().transform(() => Number.NaN));
export const recordedSamples = z.record(z.string(), z.record(z.string(), z.array(recordedValue).readonly()));

/** The record of a measured row. */
export const Result = z.object({
  name: z.string(),
  about: z.string(),
  atDay: z.string(),
  commit: z.string(),
  command: z.string(),
  machine: Machine,
  rounds: z.number(),
  figures: z.array(
    z.object({ name: z.string(), unit: z.enum(['/s', 'ms', 'µs', 'B', 'MB', 's', 'count', 'exponent']) }),
  ),
  samples: recordedSamples,
  targets: z.array(
    z.object({
      of: z.string(),
      figure: z.string(),
      against: z.string().exactOptional(),
      atLeast: z.number().exactOptional(),
      atMost: z.number().exactOptional(),
      isInEachRound: z.boolean().exactOptional(),
    }),
  ),
});
export type Result = z.infer<typeof Result>;

const folder = path.join(import.meta.dirname, '../results');
/** Peers and strategies have pages of their own; the baseline of `--quick` is no result. */
const others: readonly string[] = ['peers.json', 'strategies.json', 'quick.json'];

/** For a terminal. */
export const printed = (result: Result): string =>
  [
    `\n${result.name} · ${result.rounds} rounds`,
    figures(result),
    result.targets.length > 0 ? aligned(targetTable(result)) : '',
  ].join('\n');

/** The figures alone, for a terminal. */
export const figures = (measured: Measured): string => aligned(figureTable(measured));

/** Stores the result, and rewrites the page of all results. */
export const record = (result: Result): void => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, `${result.name}.json`), `${JSON.stringify(result, null, 2)}\n`);
  writeFileSync(path.join(folder, 'README.md'), page(recordedResults()));
};

/** Every row that was recorded. */
export const recordedResults = (): readonly Result[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.json') && !others.includes(name))
    .map((name) => Result.parse(JSON.parse(readFileSync(path.join(folder, name), 'utf8'))));

const page = (results: readonly Result[]): string =>
  `${[
    '# Results',
    'Written by `npm run bench`. Medians of interleaved rounds, least and greatest in brackets. Only ratios inside one row travel to another machine; a target is judged by the median, that of `composite` by each round; a ratio is made round by round. Postgres commits to disk (fsync on), Redis has an append-only file written every second; both run on the same machine as the load.',
    ...results.flatMap((result) => [
      `## ${result.name}`,
      result.about,
      markdown(figureTable(result)),
      ...(result.targets.length > 0 ? [markdown(targetTable(result))] : []),
      provenance(result),
    ]),
  ].join('\n\n')}\n`;

const provenance = ({ machine, atDay, commit, command, rounds }: Result): string =>
  `${rounds} rounds on ${atDay} at commit ${commit} by \`${command}\`: ${machineText(machine)}.`;

/** The first row is the head; figures stand right. */
export const markdown = ([head = [], ...rows]: Table): string =>
  [head, head.map((_, at) => (at === 0 ? '---' : '---:')), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

export const aligned = (table: Table): string => {
  const widths = (table[0] ?? []).map((_, at) => Math.max(...table.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row.map((text, at) => (at === 0 ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0))).join('  ');
  return table.map(line).join('\n');
};
