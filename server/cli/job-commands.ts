import type { Command } from 'commander';
import { conditionsOf } from '../../shared/ops/conditions.ts';
import type { JobFilter } from '../../shared/ops/job-filter.ts';
import type { OpsJob } from '../../shared/ops/ops-answers.ts';
import { addAct, askServer } from './act-command.ts';
import { type Context, parseItems, readTextFile, wholeNumber } from './console/context.ts';
import { instant, table } from './console/lines.ts';
import type { OpsClient } from './console/ops-client.ts';
import { ProgressLine } from './console/progress.ts';
import { CommandFault, usageFault } from './console/terminal.ts';

const POLL_EVERY_MS = 500;
/** A server that restarts is back in less. */
const MOST_LOST_MS = 120_000;

interface CreateOptions {
  readonly items: Record<string, number>;
  readonly module?: string;
  readonly without?: boolean;
  readonly where?: readonly string[];
  readonly seenFrom?: number;
  readonly seenTo?: number;
  readonly players?: readonly string[];
  readonly playersFile?: readonly string[];
  readonly perSecond?: number;
  readonly wait: boolean;
}

/** `kibble jobs ...`: gives items to many players, little by little. */
export const addJobCommands = (program: Command, context: Context): void => {
  const jobs = program.command('jobs').description('give items to many players, in small batches');
  addAct(jobs, context, 'jobs', { shows: ({ answer }) => answer.jobs, lines: jobTable });
  addAct(jobs, context, 'job', { lines: (job) => [...jobTable([job]), ...refusalLines(job)] });
  jobs
    .command('create')
    .description('count whom it reaches, ask, and give; Ctrl-C stops it, `jobs resume` goes on')
    .requiredOption('--items <list>', 'name=count,name=count', parseItems)
    .option('--module <name>', 'has a thing of it')
    .option('--where <condition...>', 'one that is so: kind=mill, "level>=3"')
    .option('--without', 'has no such thing')
    .option('--seen-from <date>', 'the newest event is not older', instantOf)
    .option('--seen-to <date>', 'the newest event is older', instantOf)
    .option('--players <list>', 'only these, with commas', idsIn)
    .option('--players-file <path>', 'only these, one a line', (file) => idsIn(readTextFile(file)))
    .option('--per-second <count>', 'players a second', wholeNumber)
    .option('--no-wait', 'leave it to the server')
    .action(async (options: CreateOptions, command: Command) => create(context, command, options));
  for (const name of ['stopJob', 'resumeJob'] as const) {
    addAct(jobs, context, name, { shows: ({ answer }) => answer.answer, lines: (job) => jobTable([job]) });
  }
};

const create = async (context: Context, command: Command, options: CreateOptions): Promise<void> => {
  const client = context.client(command);
  const { items, perSecond } = options;
  const input = { filter: filterOf(options), items, ...(perSecond === undefined ? {} : { perSecond }) };
  // Counts first, so that the reach surprises no operator.
  const probe = { commandId: context.terminal.uniqueName(), reason: 'counting', dryRun: true };
  const { answer: counted } = await client.ask('createJob', {}, { ...probe, ...input });
  const { count, sample } = counted;
  context.terminal.note(`reaches ${count} players, such as ${sample.slice(0, 3).join(', ')}`);
  const made = await askServer(context, command, { name: 'createJob', values: input, facts: { count } });
  if (made.isDryRun || !options.wait) {
    const lines = () => [`${made.isDryRun ? 'would reach' : 'reaches'} ${made.answer.count}`];
    return context.show(command, made, lines);
  }
  context.terminal.note(`job ${made.commandId}`);
  const job = await follow(context, client, made.commandId);
  await context.show(command, job, () => [...jobTable([job]), ...refusalLines(job)]);
  if (job.state !== 'done' || job.refused > 0) context.foundSomething();
};

/** Polls until the job is over, also while no server answers. An interruption stops the job where it is. */
const follow = async (context: Context, client: OpsClient, jobId: string): Promise<OpsJob> => {
  const { terminal } = context;
  const progress = new ProgressLine(terminal, 'job');
  let lostAtMs: number | undefined;
  for (;;) {
    if (terminal.signal.aborted) {
      const write = { commandId: terminal.uniqueName(), reason: 'stopped at the terminal' };
      const { answer } = await client.ask('stopJob', { jobId }, write).catch((error: unknown) => {
        if (!isForNow(error)) throw error;
        const text = `no server took the stop, so the job may go on: kibble jobs stop ${jobId}`;
        throw new CommandFault(text, 1, error.code, { jobId });
      });
      terminal.note(`stopped; go on with: kibble jobs resume ${jobId}`);
      return answer;
    }
    const job = await client.ask('job', { jobId }).catch((error: unknown) => {
      if (terminal.signal.aborted) return undefined;
      const nowMs = terminal.monotonicMs();
      if (!isForNow(error) || nowMs - (lostAtMs ?? nowMs) > MOST_LOST_MS) throw error;
      if (lostAtMs === undefined) {
        terminal.note(`${error.message}; the job goes on without this command, which asks again`);
      }
      lostAtMs ??= nowMs;
    });
    if (job) lostAtMs = undefined;
    if (job && job.state !== 'running') {
      progress.end(job.done + job.refused, job.total);
      return job;
    }
    if (job) progress.report(job.done + job.refused, job.total);
    await terminal.pause(POLL_EVERY_MS);
  }
};

const FOR_NOW = new Set(['server/away', 'server/other', 'server/unavailable', 'rate/limited']);

const isForNow = (error: unknown): error is CommandFault => error instanceof CommandFault && FOR_NOW.has(error.code);

const idsIn = (text: string): readonly string[] => text.split(/[\s,]+/).filter(Boolean);

const filterOf = ({ seenFrom, seenTo, players, playersFile, ...things }: CreateOptions): JobFilter => ({
  ...thingsOf(things),
  ...(seenFrom === undefined ? {} : { seenFromMs: seenFrom }),
  ...(seenTo === undefined ? {} : { seenToMs: seenTo }),
  ...(players || playersFile ? { playerIds: [...(players ?? []), ...(playersFile ?? [])] } : {}),
});

const thingsOf = ({ module, where = [], without }: Pick<CreateOptions, 'module' | 'where' | 'without'>): JobFilter => {
  if (module === undefined) {
    if (where.length > 0 || without) throw usageFault('--where and --without need the --module of the things');
    return {};
  }
  const conditions = conditionsOf(where);
  if ('wrong' in conditions)
    throw usageFault(`--where reads field=value or field>=number, each field once, not ${conditions.wrong}`);
  return { things: { module, ...conditions, ...(without ? { isMissing: true } : {}) } };
};

const instantOf = (text: string): number => {
  const atMs = Date.parse(text);
  if (Number.isNaN(atMs)) throw usageFault(`${text} is no date: write 2026-11-30 or 2026-11-30T12:00Z`);
  return atMs;
};

const jobTable = (jobs: readonly OpsJob[]): readonly string[] =>
  table(
    ['job', 'state', 'done', 'refused', 'of', 'items', 'by', 'made', 'why'],
    jobs.map((job) => [
      ...[job.jobId, job.state, job.done, job.refused, job.total, JSON.stringify(job.items)],
      ...[job.actor, instant(job.createdAtMs), job.reason],
    ]),
  );

const refusalLines = ({ refusals }: OpsJob): readonly string[] =>
  Object.entries(refusals).map(([code, count]) => `refused ${count}: ${code}`);
