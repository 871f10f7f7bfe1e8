import { fork } from 'node:child_process';
import { z } from 'zod';
import { createDatabase } from '../../test/support/postgres/postgres-server.ts';
import type { Block } from './contest-plan.ts';
import { currentCommit, currentLoad, describeMachine, Machine } from './machine.ts';
import { quietMachine } from './rounds.ts';
import { emptyRedis, type RedisSettings, Stores } from './stores.ts';

/** The name of a measurement. */
const named = {
  contender: z.string(),
  /** The number of waiting timers. */
  pending: z.number(),
  round: z.number(),
};

/** The results of one process for one contender. */
export const Measurement = z.object({
  ...named,
  /** By the names in `figures.ts`, without figures that the contender or the machine lacks. */
  figures: z.record(z.string(), z.number()),
  /** Why it ended early. */
  failed: z.string().exactOptional(),
  /** The contender's settings, so that readers can judge them. */
  settings: z.string().exactOptional(),
});
export type Measurement = z.infer<typeof Measurement>;

/** The task of a process, and its size. */
export const jobOf = <Sizes extends z.ZodType>(sizes: Sizes) =>
  z.object({
    ...named,
    sizes,
    /** Only the calls, instead of all phases. */
    isCallsAlone: z.boolean(),
    servers: z.object({ redisUrl: z.string(), postgresUrl: z.string() }),
  });

/** The record of a run. */
export const Run = z.object({
  atDay: z.string(),
  commit: z.string(),
  command: z.string(),
  machine: Machine,
  loadAtEnd: z.number(),
});

interface Contest<Sizes> {
  /** As in `npm run bench:peers`. */
  readonly name: string;
  /** Measures one contender: a file that calls `answerJob`. */
  readonly program: string;
  readonly atMostMs: number;
  /** How long to wait for a quiet machine before each measurement. */
  readonly quietAtMostMs: number;
  readonly redisOf?: (contender: string) => RedisSettings | undefined;
  readonly blocks: readonly Block<Sizes>[];
}

/** Read at the start, since files may change while it runs. */
const commit = currentCommit();

/** A prime that divides neither the number of peers nor that of strategies. */
const STRIDE = 11;

/** The place of the contender that begins a round: each of the first rounds begins with another one. */
export const beginnerOf = (round: number, contenders: number): number => (round * STRIDE) % contenders;

export const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

interface MeasuredBlock<Sizes> extends z.infer<typeof Run> {
  readonly pending: number;
  readonly sizes: Sizes;
  readonly measurements: Measurement[];
}

/** Measures all contenders in turn, each in its own process on empty stores. `onBlock` gets each block at once. */
export const measureContest = async <Sizes>(
  contest: Contest<Sizes>,
  onBlock?: (measured: MeasuredBlock<Sizes>) => void,
): Promise<readonly MeasuredBlock<Sizes>[]> => {
  const stores = new Stores();
  const measured: MeasuredBlock<Sizes>[] = [];
  try {
    for (const block of contest.blocks) {
      const each = await measureBlock(contest, stores, block);
      measured.push(each);
      onBlock?.(each);
    }
  } finally {
    await stores.stop();
  }
  return measured;
};

const measureBlock = async <Sizes>(
  contest: Contest<Sizes>,
  stores: Stores,
  { pending, sizes, rounds }: Block<Sizes>,
): Promise<MeasuredBlock<Sizes>> => {
  const load = currentLoad();
  const measurements: Measurement[] = [];
  for (const [round, { names, isCallsAlone }] of rounds.entries()) {
    const first = beginnerOf(round, names.length);
    for (const contender of [...names.slice(first), ...names.slice(0, first)]) {
      const startedAtMs = performance.now();
      const measurement = await measureOne(contest, stores, { contender, pending, round, isCallsAlone, sizes });
      measurements.push(measurement);
      const took = `${((performance.now() - startedAtMs) / 1_000).toFixed(0)} s`;
      const which = `round ${round + 1} of ${rounds.length}${isCallsAlone ? ', calls' : ''}`;
      say(`  ${pending} waiting · ${which} · ${contender}: ${measurement.failed ?? took}`);
    }
  }
  const args = process.argv.slice(2);
  return {
    atDay: new Date().toISOString().slice(0, 10),
    commit,
    command: [`npm run bench:${contest.name}`, ...(args.length > 0 ? ['--', ...args] : [])].join(' '),
    machine: { ...(await describeMachine(await stores.postgresUrl(), await stores.redisUrl())), load },
    loadAtEnd: currentLoad(),
    ...{ pending, sizes, measurements },
  };
};

type Work<Sizes> = Pick<Measurement, 'contender' | 'pending' | 'round'> & {
  readonly isCallsAlone: boolean;
  readonly sizes: Sizes;
};

const measureOne = async <Sizes>(
  { program, atMostMs, quietAtMostMs, redisOf }: Contest<Sizes>,
  stores: Stores,
  work: Work<Sizes>,
): Promise<Measurement> => {
  const { contender, pending, round } = work;
  await quietMachine(quietAtMostMs);
  const redisUrl = await stores.redisUrl();
  await emptyRedis(redisUrl, redisOf?.(contender));
  const database = await createDatabase(await stores.postgresUrl());
  const { message, end } = await ofChild(
    program,
    { ...work, servers: { redisUrl, postgresUrl: database.url } },
    atMostMs,
  );
  await database.drop();
  const { success, data } = Measurement.safeParse(message);
  if (success) return data;
  return { contender, pending, round, figures: {}, failed: `ended with ${end} before it had measured` };
};

/**
 * Runs a program in a fresh process, so that it inherits no memory, connections or compiled code. Never throws. Returns
 * its last message, and its exit code or the signal that ended it.
 */
const ofChild = async (program: string, job: object, atMostMs: number) => {
  const child = fork(program, [JSON.stringify(job)], {
    execArgv: [
      // Warnings of products, not of ours.
      ...['--disable-warning=ExperimentalWarning', '--disable-warning=DeprecationWarning'],
      '--max-old-space-size=4096',
    ],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const giveUp = setTimeout(() => child.kill('SIGKILL'), atMostMs);
  let message: unknown;
  child.on('message', (sent) => {
    message = sent;
  });
  const end = await new Promise<string>((resolve) =>
    child.once('close', (code, signal) => resolve(String(signal ?? code))),
  );
  clearTimeout(giveUp);
  return { message, end };
};

/** The results of a process so far. */
export interface Found {
  readonly figures: Record<string, number>;
  settings?: string;
}

/**
 * The main function of such a process: one contender, one number of waiting timers, one round. argv: a job as JSON.
 * Sends a `Measurement` to its parent, even if `measure` throws.
 */
export const answerJob = async <Job extends Pick<Measurement, 'contender' | 'pending' | 'round'>>(
  schema: z.ZodType<Job>,
  measure: (job: Job, found: Found) => Promise<void>,
): Promise<void> => {
  const job = schema.parse(JSON.parse(process.argv[2] ?? ''));
  const found: Found = { figures: {} };
  const failed = await measure(job, found).then(
    () => undefined,
    (error: unknown) => String(error),
  );
  const { contender, pending, round } = job;
  const { figures, settings } = found;
  const measurement: Measurement = {
    contender,
    pending,
    round,
    // JSON has no NaN, so missing figures are left out.
    figures: Object.fromEntries(Object.entries(figures).filter(([, value]) => Number.isFinite(value))),
    ...(failed !== undefined && { failed }),
    ...(settings !== undefined && { settings }),
  };
  process.send?.(measurement, () => process.exit(0));
};
