import { markdown, type Result } from '../harness/results.ts';
import { targetTable } from '../harness/tables.ts';
import type { PeersResult } from '../peers/measure/measurement.ts';
import { goalTable } from '../peers/report/report.ts';

/** A target as the page names it. */
export interface Reached {
  readonly row: string;
  readonly target: string;
  readonly measured: string;
  readonly reached: string;
}

/** All targets, as last recorded. */
export const allTargets = (results: readonly Result[], peers: PeersResult): readonly Reached[] => [
  ...results.flatMap((result) =>
    targetTable(result)
      .slice(1)
      .map(([target = '', measured = '', reached = '']) => ({ row: result.name, target, measured, reached })),
  ),
  ...peers.blocks.flatMap(({ measurements, pending }) =>
    goalTable(measurements, pending)
      .slice(1)
      .map(([goal = '', of = '', measured = '', reached = '']) => ({
        row: 'peers',
        target: `${of}, ${pending.toLocaleString('en')} waiting: ${goal}`,
        measured,
        reached,
      })),
  ),
];

export const limitOf = ({ row, target }: Reached): Limit | undefined =>
  limits.find((limit) => limit.rows.includes(row) && limit.targets.test(target));

/** `docs/record/targets.md`: recorded figures, and words by hand for missed targets. */
export const targetsPageOf = (all: readonly Reached[]): string => {
  const missed = all.filter(({ reached }) => reached !== 'yes');
  return `# Targets

The project's targets and the last measurement of each: ${all.length - missed.length} of ${all.length} are reached. \`npm run figures\` writes this page from [the
record](../../bench/results); the methods: [results](../../bench/results/README.md), [peers](../../bench/results/peers.md).
\`npm run bench -- <row>\` measures a row again, \`npm run bench:peers\` the peers. A target is judged by the median of its
rounds, a target beside another product also by four of five pairs (\`peers\`) or by each round (\`composite\`); in
brackets the least and the greatest.

## Missed

${missed.length === 0 ? 'None.' : byLimit(missed)}

## All

${markdown([['row', 'target', 'measured', 'reached'], ...all.map(({ row, target, measured, reached }) => [row, target, measured, reached])])}
`;
};

/** Groups missed targets by their reason. */
const byLimit = (missed: readonly Reached[]): string =>
  [...Map.groupBy(missed, limitOf)]
    .map(([limit, of]) => {
      const lines = of.map(({ row, target, measured }) => `- \`${row}\` ${target}: ${measured || 'not measured'}`);
      return `${lines.join('\n')}\n\n${limit?.why ?? 'No reason is recorded yet.'}`;
    })
    .join('\n\n');

/** Why targets are missed: the attempts and the limit. */
export interface Limit {
  /** Of `npm run bench`, or `peers`. */
  readonly rows: readonly string[];
  /** The targets, by their names in `docs/record/targets.md`. */
  readonly targets: RegExp;
  readonly why: string;
}

export const limits: readonly Limit[] = [
  {
    rows: ['peers'],
    targets: /BullMQ, (always|which promises less)$/,
    why: `Five pairs; a target is reached if the median and four of the pairs reach it. A move on the wheel has 0.65 to 0.8 x the rate of schedule: it finds the row
by id, locks it, writes the narrow row and its index entry, and returns the whole timer. BullMQ changes a score and a hash: 33 µs of CPU
with its store; Postgres alone takes 22 to 25 for ours. With 64 calls in flight \`always\` costs BullMQ only a fifth to a quarter here, since many calls
share one fsync. A cancel has no target: ours keeps the row with its data, unless its kind has \`retentionMs: 0\`; BullMQ deletes the job.`,
  },
  {
    rows: ['peers'],
    targets: /x raw Redis$/,
    why: `The caller and two stores, used one after the other, share two cores. Raw Postgres, coalesced, has rows of three columns with three
indexes, and no other index to update: it does 1.06 to 1.25 x of raw Redis for schedule, 0.73 to 1.07 x for bulk, 0.60 to 0.71 x for
reschedule and 0.52 to 0.67 x for shift. By their CPU time Node and Postgres can reach the targets with one batch at a time: for schedule, reschedule, shift and cancel
0.44, 0.25, 0.24 and 0.24 x of raw Redis on the wheel, 0.35, 0.21, 0.21 and 0.23 x on Redis.
A schedule of Kibble writes two rows (18 and 14 columns) with five index entries; a move writes the narrow row. Kibble also has a unique key, a revision, the whole row in the
result, and the index update after the commit: 16 to 21 µs of CPU in Node a call, raw Postgres 4 to 9. On Redis the second store
comes on top. Tried, with figures in [performance](performance.md#calls-of-the-timer-engine-npm-run-benchpeers-its-calls-alone): batches of 60 calls
instead of 15 (kept, 30 to 40 % less CPU), two half batches at once, one shard instead of sixteen, a change without its lock, by
\`ctid\`, with fewer columns returned, without some of the indexes. On two cores nothing else was found; with stores
on other machines the caller's 20 to 30 µs would be the limit (not measured).`,
  },
  {
    rows: ['lateness-10k', 'lateness-100k', 'lateness-1m'],
    targets: /^engine on/,
    why: `The median is 2.8 to 2.9 ms: four round trips to Postgres, the last with the commit. Stalls of 5 to 13 ms, V8's
collections of young objects, decide the p99. Tried, with figures in [performance](performance.md#lateness-npm-run-bench----lateness): no functions that hold ended
statements until the next full collection (kept, [performance](performance.md#garbage-that-statements-leave); \`ioredis\` still holds its
commands like this), fewer round trips, plans made once, smaller pages for the reconciler, no automatic pipelines (kept: on Redis 23 to 27 ms
before, 11 after), entries counted instead of read (kept: with a million waiting 0.69 x on the wheel, 0.65 x on Redis),
other settings of V8's collector (no difference beyond the noise). On a slower machine, 29 November, not recorded: 7.2 and 7.7 ms on the
wheel, 19 and 23 on Redis; the commit of the record, in turn with it, had 7.1 and 7.3, 15 and 21. On
1 December, not recorded, Postgres slower again: 8.8 and 17 ms.`,
  },
  {
    rows: ['composite'],
    targets: /^a card of ours: perSec/,
    why: `It was 1.4 x on 23 and 2.1 x on 27 November; then a card of ours did 8,000/s and the composite 3,900. On the faster machine of 28
November both do more, and the composite gains more. On the slower machine of 29 November, not recorded: 1.40 x, and 0.91 ms for one at a time;
on 1 December, not recorded: 2.07 x (each round 1.66 x or more) and 0.91 ms. The reason was not measured.`,
  },
  {
    rows: ['wheel-1m'],
    targets: /^timing wheel: (insert|move)/,
    why: `No change of the code explains it. The heap's code is the same as on 21 November; the wheel of that day (22d03bc320, before c7e554e2 changed
it), measured in turn with the present one, did 0.88 to 1.12 x of its inserts and 0.97 to 1.05 x of its moves (medians of four runs, 24
rounds). The ratio to the heap differs by run: the present code had 0.67 to 1.69 x (insert) and 2.1 to 2.9 x (move) in five runs on one
machine beside changing other work; on 29 November and 1 December, not recorded, 0.82 x and 1.85 x, 0.77 x and 1.71 x. On 21 November it was 1.15 x and 2.93 x, with 4.2 M inserts/s by the heap; the quick run of 22 November,
also before c7e554e2, had 0.67 x and 1.71 x, with 10.4 M. On a quiet machine old and present wheel were not compared. Tried:
slots without a remainder of doubles, freed records in an array instead of a chain (no difference beyond noise of a fifth).`,
  },
  {
    rows: ['game-commands'],
    targets: /^service/,
    why: `The bare SQL of the same batches has neither rules, log checks, followers nor metrics: the service did 0.54 to 0.70 x of it on four days.
The limit is Postgres on the same cores: 183 µs a card if its statements run one after the other, a fifth for the timer's move, a third for
reading. By statement, with the attempts: [performance](performance.md#game-commands-npm-run-bench----game-commands). On the slower machine of 29
November, not recorded: 10,000/s, p99 65 ms, 0.51 x; on 1 December: 9,100/s, p99 82 ms,
0.53 x; the commit of the record, in turn with it, did 9,700/s, p99 84 ms.`,
  },
];
