import type { Command } from 'commander';
import type { OpsIndex } from '../../../shared/ops/ops-answers.ts';
import { type Context, wholeOf } from '../console/context.ts';
import { lasting, table } from '../console/lines.ts';
import type { OpsClient } from '../console/ops-client.ts';
import { ProgressLine } from '../console/progress.ts';

const LOOK_EVERY_MS = 500;
/** A refill that was asked for has begun, or is over, by then. */
const MOST_LOOKS_BEFORE = 20;

/** `kibble status`, `rebuild`, `reconcile`, `reshard`, `audit`. */
export const addServerCommands = (program: Command, context: Context): void => {
  addStatus(program, context);
  addRebuild(program, context);
  addReconcile(program, context);
  addReshard(program, context);
  addAudit(program, context);
};

const addStatus = (program: Command, context: Context): void => {
  program
    .command('status')
    .description('how things go; exit code 1 when something is degraded, dead or stuck')
    .action(async (_options, command: Command) => {
      const client = context.client(command);
      const [overview, index] = [await client.ask('overview'), await client.ask('index')];
      const { degraded, dead, stuck, kinds, process: own } = overview;
      const paused = kinds.flatMap(({ kind, isPaused }) => (isPaused ? kind : []));
      const late = own.lateness.at(-1);
      context.show(command, { ...overview, index }, () => [
        `players ${overview.players}, timers pending ${overview.pending}, overdue ${overview.overdue} (oldest ${lasting(overview.oldestOverdueMs)})`,
        `dead ${dead}, stuck ${stuck}, degraded: ${degraded.join(', ') || 'nothing'}`,
        ...(paused.length > 0 ? [`paused kinds: ${paused.join(', ')}`] : []),
        `index ${indexLine(index)}`,
        `process ${own.name}: ${own.commandsPerSecond} commands/s${late ? `, late p50 ${late.p50Ms} ms, p99 ${late.p99Ms} ms` : ''}`,
      ]);
      if (degraded.length > 0 || dead > 0 || stuck > 0) context.foundSomething();
    });
};

const addRebuild = (program: Command, context: Context): void => {
  program
    .command('rebuild')
    .description('refill the index from the rows, while everything serves')
    .option('--no-wait', 'only ask for it')
    .action(async ({ wait }: { wait: boolean }, command: Command) => {
      const client = context.client(command);
      const before = await client.ask('index');
      const write = await context.write(command, 'refill the index');
      const asked = await client.ask('rebuild', {}, write);
      const index = wait && !asked.isDryRun ? await follow(context, client, before, 'rebuild') : asked.answer;
      context.show(command, index, () => [`index ${indexLine(index)}`]);
    });
};

const addReconcile = (program: Command, context: Context): void => {
  program
    .command('reconcile')
    .description('compare the index with the rows now, and heal it')
    .action(async (_options, command: Command) => {
      const write = await context.write(command, 'compare the index with the rows');
      const { answer } = await context.client(command).ask('reconcile', {}, write);
      context.show(command, answer, () => [
        `index ${indexLine(answer)}`,
        ...(answer.found === undefined ? [] : [`healed: ${JSON.stringify(answer.found)}`]),
      ]);
    });
};

const addReshard = (program: Command, context: Context): void => {
  program
    .command('reshard <shards>')
    .description('give the index another number of shards, while everything serves')
    .option('--no-wait', 'only ask for it')
    .action(async (shards: string, { wait }: { wait: boolean }, command: Command) => {
      const count = wholeOf(shards);
      const client = context.client(command);
      const before = await client.ask('index');
      const write = await context.write(command, `give the index ${count} shards instead of ${before.shards}`);
      const asked = await client.ask('reshard', {}, { ...write, shards: count });
      const index = wait && !asked.isDryRun ? await follow(context, client, before, 'reshard') : asked.answer;
      context.show(command, index, () => [`index ${indexLine(index)}`]);
    });
};

const addAudit = (program: Command, context: Context): void => {
  program
    .command('audit')
    .description('what operators did, newest first')
    .option('--target <target>', 'player:<id>, timer:<id>, job:<id> or index')
    .option('--limit <count>', 'entries', wholeOf, 50)
    .action(async ({ target, limit }: { target?: string; limit: number }, command: Command) => {
      const { entries } = await context.client(command).ask('audit', {}, { limit, ...(target ? { target } : {}) });
      context.show(command, entries, () =>
        table(
          ['at', 'who', 'what', 'target', 'why'],
          entries.map((entry) => [
            new Date(entry.atMs).toISOString(),
            entry.actor,
            entry.action,
            entry.target,
            entry.reason,
          ]),
        ),
      );
    });
};

/** Looks until the next generation is whole. Interrupted, the server goes on by itself. */
const follow = async (context: Context, client: OpsClient, before: OpsIndex, what: string): Promise<OpsIndex> => {
  const { terminal } = context;
  const progress = new ProgressLine(terminal, what);
  const { pending } = await client.ask('overview');
  for (let looks = 0; ; looks += 1) {
    const index = await client.ask('index');
    const count = countOf(index);
    const isBegun = index.generation > before.generation && index.wantedShards === undefined;
    if (index.isWhole && (isBegun || looks >= MOST_LOOKS_BEFORE)) {
      progress.end(count, Math.max(count, pending));
      return index;
    }
    progress.tell(isBegun ? count : 0, pending);
    await terminal.pause(LOOK_EVERY_MS);
    if (terminal.signal.aborted) return index;
  }
};

const countOf = ({ inside }: OpsIndex): number => inside?.counts.reduce((sum, count) => sum + count, 0) ?? 0;

const indexLine = (index: OpsIndex): string => {
  const { generation, shards, isWhole, inside, wantedShards } = index;
  const owners = new Set(inside?.owners.flatMap((owner) => owner ?? [])).size;
  return [
    `generation ${generation}, ${shards} shards${wantedShards === undefined ? '' : ` (${wantedShards} wanted)`}`,
    isWhole ? 'whole' : 'NOT WHOLE',
    inside
      ? `${countOf(index)} timers, ${owners} nodes, oldest unacked ${lasting(inside.oldestUnackedMs)}`
      : 'does not answer',
  ].join(', ');
};
