import type { Command } from 'commander';
import type { OpsClock, OpsIndex } from '../../shared/ops/ops-answers.ts';
import { addAct } from './act-command.ts';
import type { Context } from './console/context.ts';
import { counted, instant, lasting, table } from './console/lines.ts';
import type { OpsClient } from './console/ops-client.ts';
import { ProgressLine } from './console/progress.ts';
import { CommandFault } from './console/terminal.ts';

const POLL_EVERY_MS = 500;
/** After so many polls a requested refill has begun or is over. */
const MOST_POLLS_BEFORE = 20;

/** `kibble status`, `rebuild`, `reconcile`, `reshard`, `audit`, `clock`, `search`. */
export const addServerCommands = (program: Command, context: Context): void => {
  addStatus(program, context);
  addRefill(program, context, 'rebuild');
  addAct(program, context, 'reconcile', {
    shows: ({ answer: { answer } }) => answer,
    lines: (index) => [
      `index ${indexLine(index)}`,
      ...(index.found === undefined ? [] : [`healed: ${JSON.stringify(index.found)}`]),
    ],
  });
  addRefill(program, context, 'reshard');
  addAct(program, context, 'audit', {
    shows: ({ answer: { entries } }) => entries,
    lines: (entries) =>
      table(
        ['id', 'at', 'who', 'what', 'target', 'why'],
        entries.map(({ id, atMs, actor, action, target, reason }) => [
          ...[id, new Date(atMs).toISOString(), actor, action, target, reason],
        ]),
      ),
  });
  addClock(program, context);
  addAct(program, context, 'search', {
    lines: ({ hits, isCut }) => [
      ...table(
        ['type', 'module', 'id', 'player', 'label'],
        hits.map(({ type, module, id, playerId, label }) => [type, module, id, playerId, label]),
      ),
      ...(isCut ? ['there are more: give more of the id or title'] : []),
    ],
  });
};

const addStatus = (program: Command, context: Context): void => {
  program
    .command('status')
    .description('the state of everything; exit code 1 when something is degraded, dead or stuck')
    .action(async (_options, command: Command) => {
      const client = context.client(command);
      const [overview, index] = [await client.ask('overview'), await client.ask('index')];
      const { players, pending, overdue, degraded, dead, stuck, kinds, process: own } = overview;
      const upTo = (count: number): string => counted(count, overview.countedTo);
      const paused = kinds.flatMap(({ kind, isPaused }) => (isPaused ? kind : []));
      const late = own.lateness.at(-1);
      await context.show(command, { ...overview, index }, () => [
        `players ${upTo(players)}, timers pending ${upTo(pending)}, overdue ${upTo(overdue)} (oldest ${lasting(overview.oldestOverdueMs)})`,
        `dead ${dead}, stuck ${stuck}, degraded: ${degraded.join(', ') || 'nothing'}`,
        ...(paused.length > 0 ? [`paused kinds: ${paused.join(', ')}`] : []),
        `index ${indexLine(index)}`,
        `process ${own.name}: ${own.commandsPerSecond} commands/s${late ? `, late p50 ${late.p50Ms} ms, p99 ${late.p99Ms} ms` : ''}`,
      ]);
      if (degraded.length > 0 || dead > 0 || stuck > 0) context.foundSomething();
    });
};

/** An act after which the index is refilled: the command waits for the end of the refill. */
const addRefill = (program: Command, context: Context, name: 'rebuild' | 'reshard'): void => {
  addAct(program, context, name, {
    facts: async (client) => {
      const index = await client.ask('index');
      return { index, before: index.shards };
    },
    shows: async ({ answer: { answer, isDryRun }, client, facts, options }) => {
      if (options.wait !== true || isDryRun || !facts) return answer;
      const index = await follow(context, client, facts.index, name);
      const wanted = answer.wantedShards ?? answer.shards;
      if (index.shards === wanted || context.terminal.signal.aborted) return index;
      const text = `the index has ${index.shards} shards, not ${wanted}: it was asked for another number meanwhile`;
      throw new CommandFault(text, 1, 'index/changed', { shards: index.shards });
    },
    lines: (index) => [`index ${indexLine(index)}`],
  }).option('--no-wait', 'only ask for it');
};

/** Polls until the next generation is whole. If it is interrupted, the server goes on by itself. */
const follow = async (context: Context, client: OpsClient, before: OpsIndex, what: string): Promise<OpsIndex> => {
  const { terminal } = context;
  const progress = new ProgressLine(terminal, what);
  const { pending } = await client.ask('overview');
  for (let polls = 0; ; polls += 1) {
    const index = await client.ask('index');
    const count = countOf(index);
    const isBegun = index.generation > before.generation && index.wantedShards === undefined;
    if (index.isWhole && (isBegun || polls >= MOST_POLLS_BEFORE)) {
      progress.end(count, Math.max(count, pending));
      return index;
    }
    progress.report(isBegun ? count : 0, pending);
    await terminal.pause(POLL_EVERY_MS);
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

const addClock = (program: Command, context: Context): void => {
  const clock = program
    .command('clock')
    .description('whether the database’s clock is trusted; exit code 1 while time is held')
    .action(async (_options, command: Command) => {
      const state = await context.client(command).ask('clock');
      await context.show(command, state, () => [clockLine(state)]);
      if (state.isHeld) context.foundSomething();
    });
  addAct(clock, context, 'acceptClock', {
    facts: async (client) => ({ clock: clockLine(await client.ask('clock')) }),
    lines: ({ answer: { before, after } }) => [`before: ${clockLine(before)}`, `now: ${clockLine(after)}`],
  });
};

const clockLine = (state: OpsClock): string => {
  if (!state.isHeld) return 'the database’s clock is trusted';
  const { byMs, direction, sinceMs } = state;
  const off = `${lasting(Math.abs(byMs))} ${direction === 'ahead' ? 'ahead of' : 'behind'}`;
  return `time has been held since ${instant(sinceMs)}: the database’s clock is ${off} it`;
};
