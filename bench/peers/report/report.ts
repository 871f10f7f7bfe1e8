import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { madeBy } from '../../harness/machine.ts';
import { markdown } from '../../harness/results.ts';
import type { Spread } from '../../harness/spread.ts';
import { show, type Table, type Unit } from '../../harness/tables.ts';
import { contenders, RAW_REDIS } from '../measure/contenders.ts';
import { type Measurement, type PeersBlock, PeersResult } from '../measure/measurement.ts';
import {
  costs,
  cpuCosts,
  type Figure,
  lateness,
  raceCounts,
  rates,
  ratiosOf,
  spreadOfValues,
  valuesOf,
} from './figures.ts';
import { judgeGoals, peersAhead } from './targets.ts';

/** The page of a run. */
export const pageOf = (result: PeersResult): string => {
  const measurements = result.blocks.flatMap((block) => block.measurements);
  const pendings = result.blocks.map(({ pending }) => pending);
  return `${[
    '# Peers, side by side',
    introduction,
    ...(result.remarks ? ['## Remarks', result.remarks.map((remark) => `- ${remark}`).join('\n')] : []),
    ...result.blocks.flatMap(sectionsOf),
    ...(pendings.length > 1 ? ['## Growth', growthNote, markdown(growthTable(measurements, pendings))] : []),
    '## The race, all rounds together',
    raceNote,
    markdown(raceTable(measurements)),
    '## As they were run',
    settingsOf(measurements),
    troubleOf(measurements),
  ].join('\n\n')}\n`;
};

const introduction = `Written by \`npm run bench:peers\`. Stores, callers and workers share the machine: only ratios between rows of one table mean anything, and those within the spread of each other mean nothing. Cells are medians of the rounds (least..greatest) and, after the dot, the ratio to \`${RAW_REDIS}\` made round by round. *always* is a Redis with \`appendfsync always\`: what was called is on disk when the call returns, as what Kibble commits in Postgres (\`synchronous_commit = on\`) is with either setting. Where one of ours is compared with a product, four rounds of five have to reach the goal, and the median.`;

/** Time, place and size of a block's measurement. */
const provenance = (block: PeersBlock): string => {
  const { calls, callsAtMostMs, inFlight, late, lateSpanMs, burst, race } = block.sizes;
  const work = `${count(calls)} calls of a sort, or as many as ${callsAtMostMs / 1_000} s allow, with ${inFlight} in flight, ${count(late)} timers due over ${lateSpanMs / 1_000} s, a burst of ${count(burst)}, ${count(race)} changes in the race`;
  return `${madeBy(block)}; ${work}.`;
};

const growthNote = 'Median with most waiting by median with fewest, and the exponent of the time: 0 is flat.';

const raceNote =
  'Each timer is moved by four seconds somewhere from 50 ms before to 150 ms after its due time. Stale: began at the old time after the change was answered and not refused. Fired again: had fired already, and the change made it fire once more. Doubled: fired twice though not before. Ignored: not refused, yet fired at the old time only. Lost: had not begun when the measurement ended, 3 to 17 s after the last due time (if before 15 s, then after 1.5 s in which nothing began); who is still busy with what was due before counts here too. Failed: the change ended with an error; a record without this count has them among the refused, and always ended after 1.5 s in which nothing began: what it lost may only have been late.';

const sectionsOf = (block: PeersBlock): readonly string[] => {
  const { measurements, pending } = block;
  const of = (figures: readonly Figure[]): string => markdown(figureTable(measurements, pending, figures));
  const ahead = peersAhead(measurements, pending);
  return [
    `## ${count(pending)} waiting`,
    provenance(block),
    ...['### Calls a second', of(rates), '### Lateness, and a burst at one instant', of(lateness)],
    ...['### Bytes of a waiting timer', of(costs), '### CPU of the calling process, µs a call'],
    markdown(cpuTable(measurements, pending)),
    ...['### Goals', markdown(goalTable(measurements, pending)), '### Where a peer is ahead of all of ours'],
    ahead.length === 0 ? 'Nowhere.' : markdown(aheadTable(ahead)),
  ];
};

export const figureTable = (
  measurements: readonly Measurement[],
  pending: number,
  figures: readonly Figure[],
): Table => [
  ['', 'rounds', ...figures.map(({ title }) => title)],
  ...presentIn(measurements, pending).map((contender) => [
    contender,
    // The last rounds may measure calls alone.
    String(Math.max(...figures.map(({ key }) => valuesOf(measurements, { contender, pending, figure: key }).size))),
    ...figures.map((figure) => {
      const own = valuesOf(measurements, { contender, pending, figure: figure.key });
      const reference = valuesOf(measurements, { contender: RAW_REDIS, pending, figure: figure.key });
      const ratio = contender === RAW_REDIS ? undefined : spreadOfValues(ratiosOf(own, reference));
      return cell(spreadOfValues(own), figure.unit, figure.unit === 'B' ? undefined : ratio);
    }),
  ]),
];

const cpuTable = (measurements: readonly Measurement[], pending: number): Table => [
  ['', ...cpuCosts.map((key) => key.replace('Cpu', ''))],
  ...presentIn(measurements, pending).map((contender) => [
    contender,
    ...cpuCosts.map((figure) => {
      const median = spreadOfValues(valuesOf(measurements, { contender, pending, figure }))?.median;
      return median === undefined ? '–' : median.toFixed(median < 10 ? 1 : 0);
    }),
  ]),
];

/** Each goal, its contender, its figure, and whether it is reached. */
export const goalTable = (measurements: readonly Measurement[], pending: number): Table => [
  ['goal', 'of', 'measured', 'reached'],
  ...judgeGoals(measurements, pending).map(({ goal, contender, found, isReached }) => {
    const unit = unitOf(goal.figure, goal.against !== undefined);
    return [goal.title, contender, cell(found, unit), found === undefined ? 'not measured' : isReached ? 'yes' : 'NO'];
  }),
];

const unitOf = (figure: string, isRatio: boolean): Unit =>
  isRatio ? 'ratio' : ([...rates, ...lateness, ...costs].find(({ key }) => key === figure)?.unit ?? '/s');

const aheadTable = (ahead: ReturnType<typeof peersAhead>): Table => [
  ['figure', 'peer', 'times better than', '', 'what it gives up'],
  ...ahead.map(({ figure, peer, ours, times }) => {
    const { givesUp = '' } = contenders.find(({ name }) => name === peer) ?? {};
    return [figure, peer, ours, show(times, 'ratio'), givesUp];
  }),
];

const growthTable = (measurements: readonly Measurement[], pendings: readonly number[]): Table => {
  const [fewest = 0, most = 0] = [pendings[0], pendings.at(-1)];
  const figures = [...rates, ...lateness.filter(({ key }) => key.endsWith('P50'))];
  return [
    ['', ...figures.map(({ title }) => title)],
    ...presentIn(measurements, most).map((contender) => [
      contender,
      ...figures.map(({ key, unit }) => {
        const [small, large] = [fewest, most].map(
          (pending) => spreadOfValues(valuesOf(measurements, { contender, pending, figure: key }))?.median,
        );
        if (!small || !large || small < 0 || large < 0) return '–';
        const exponent = Math.log(unit === '/s' ? small / large : large / small) / Math.log(most / fewest);
        return `${show(large / small, 'ratio')}, ${exponent.toFixed(2)}`;
      }),
    ]),
  ];
};

const raceTable = (measurements: readonly Measurement[]): Table => [
  ['', ...raceCounts.map(({ title }) => title), 'worst stale', 'p99 of a call'],
  ...contenders.flatMap(({ name }) => {
    const own = measurements.filter(({ contender, figures }) => contender === name && figures.raceCalls !== undefined);
    if (own.length === 0) return [];
    const worst = (key: string): string => show(Math.max(...own.map(({ figures }) => figures[key] ?? 0)), 'ms');
    return [
      [
        name,
        ...raceCounts.map(({ key }) => sumOf(own.flatMap(({ figures }) => figures[key] ?? []))),
        ...[worst('staleWorstMs'), worst('raceCallP99')],
      ],
    ];
  }),
];

const sumOf = (values: readonly number[]): string =>
  values.length === 0 ? '–' : count(values.reduce((sum, value) => sum + value, 0));

const settingsOf = (measurements: readonly Measurement[]): string =>
  contenders
    .flatMap(({ name }) => {
      const settings = measurements.find((each) => each.contender === name && each.settings !== '')?.settings;
      return settings === undefined ? [] : `- **${name}**: ${settings}.`;
    })
    .join('\n');

/** Unfinished measurements, in words. */
const troubleOf = (measurements: readonly Measurement[]): string => {
  const lines = measurements.flatMap(({ contender, pending, round, figures, failed }) => {
    const where = `${contender}, ${count(pending)} waiting, round ${round + 1}`;
    return [
      ...(failed === undefined ? [] : [`- ${where}: ${failed}`]),
      ...(figures.filled !== undefined && figures.filled < pending
        ? [`- ${where}: only ${count(figures.filled)} could be put in`]
        : []),
      ...(figures.lateMissing ? [`- ${where}: ${count(figures.lateMissing)} of the due timers came too late`] : []),
      ...(figures.lateDoubles ? [`- ${where}: ${count(figures.lateDoubles)} due timers fired twice`] : []),
      ...(figures.burstMissing ? [`- ${where}: ${count(figures.burstMissing)} of the burst came too late`] : []),
    ];
  });
  return lines.length === 0 ? 'Everything came to its end.' : `Not everything came to its end:\n\n${lines.join('\n')}`;
};

const presentIn = (measurements: readonly Measurement[], pending: number): readonly string[] =>
  contenders
    .map(({ name }) => name)
    .filter((name) => measurements.some((each) => each.contender === name && each.pending === pending));

const cell = (found: Spread | undefined, unit: Unit, ratio?: Spread): string => {
  if (found === undefined) return '–';
  const { median, min, max } = found;
  const spread = min === max ? '' : ` (${show(min, unit)}..${show(max, unit)})`;
  return `${show(median, unit)}${spread}${ratio === undefined ? '' : ` · ${ratioText(ratio.median)}`}`;
};

/** Two significant digits, also of a hundredth. */
const ratioText = (ratio: number): string => `${ratio >= 1 ? ratio.toFixed(2) : ratio.toPrecision(2)} x`;

const count = (value: number): string => value.toLocaleString('en');

const folder = path.join(import.meta.dirname, '../../results');
const figuresFile = path.join(folder, 'peers.json');

/** The records of every number of waiting timers. */
export const recordedPeers = (): PeersResult => PeersResult.parse(JSON.parse(readFileSync(figuresFile, 'utf8')));

/** Stores a block, instead of the one with the same number of waiting timers. */
export const recordPeers = (block: PeersBlock): void => {
  const { blocks, ...rest } = recordedPeers();
  const others = blocks.filter(({ pending }) => pending !== block.pending);
  const result = { ...rest, blocks: [...others, block].sort((left, right) => left.pending - right.pending) };
  writeFileSync(figuresFile, `${JSON.stringify(result, null, 2)}\n`);
  rewritePage();
};

/** `results/peers.md`, for readers, from the recorded figures. */
export const rewritePage = (): void => writeFileSync(path.join(folder, 'peers.md'), pageOf(recordedPeers()));
