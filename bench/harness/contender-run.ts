import { fork } from 'node:child_process';
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { z } from 'zod';
import { createDatabase } from '../../test/support/postgres/postgres-server.ts';
import { currentCommit, currentLoad, describeMachine, Machine } from './machine.ts';
import { quietMachine } from './rounds.ts';
import { emptyRedis, type RedisSettings, type Stores } from './stores.ts';

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

export interface Round {
  readonly names: readonly string[];
  readonly isCallsAlone: boolean;
}

/** Contenders that are measured in turn, with so many waiting timers. */
export interface Block<Sizes> {
  readonly pending: number;
  readonly rounds: readonly Round[];
  readonly sizes: Sizes;
}

/** The choices of a command line of peers or strategies. */
interface Choice {
  readonly isQuick: boolean;
  /** Without `--only`, which leaves some out: only then is the result recorded. */
  readonly isWhole: boolean;
  readonly isWanted: (name: string) => boolean;
  readonly pendings: readonly number[];
  readonly rounds: number;
  /** The values of the other options. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** Reads `--quick`, `--only`, `--pending`, `--rounds` and the other options. Throws for unknown ones. */
export const choiceFrom = (
  args: readonly string[],
  defaults: { readonly pending: string; readonly rounds: string },
  besides: ParseArgsOptionsConfig = {},
): Choice => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      pending: { type: 'string', default: defaults.pending },
      rounds: { type: 'string', default: defaults.rounds },
      ...besides,
    },
  });
  const only = values.only?.split(',').map((part) => part.trim().toLowerCase());
  return {
    isQuick: values.quick,
    isWhole: !values.quick && only === undefined,
    isWanted: (name) => only?.some((part) => name.toLowerCase().includes(part)) ?? true,
    pendings: values.quick ? [1_000] : values.pending.split(',').map((each) => wholeOf('pending', each)),
    rounds: values.quick ? 1 : wholeOf('rounds', values.rounds),
    values,
  };
};

/** Throws for a text that is no whole number from 1 on. */
export const wholeOf = (option: string, text: unknown): number => {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new RangeError(`--${option} wants whole numbers`);
  return number;
};

interface Contest<Sizes> {
  readonly stores: Stores;
  /** The typed command. */
  readonly command: string;
  /** Measures one contender: a file that calls `answerJob`. */
  readonly program: string;
  readonly atMostMs: number;
  /** How long to wait for a quiet machine before each measurement. */
  readonly quietAtMostMs: number;
  readonly redisOf?: (contender: string) => RedisSettings | undefined;
  readonly blocks: readonly Block<Sizes>[];
  readonly say: (text: string) => void;
}

/** Read at the start, since files may change while it runs. */
const commit = currentCommit();

/** A prime that divides neither the number of peers nor that of strategies. */
const STRIDE = 11;

/** The place of the contender that begins a round: each of the first rounds begins with another one. */
export const beginnerOf = (round: number, contenders: number): number => (round * STRIDE) % contenders;

/** Measures all contenders in turn, each in its own process on empty stores. */
export const measureContest = async <Sizes>(
  contest: Contest<Sizes>,
): Promise<z.infer<typeof Run> & { measurements: Measurement[] }> => {
  const { stores, command, blocks, say } = contest;
  const load = currentLoad();
  const measurements: Measurement[] = [];
  for (const { pending, sizes, rounds } of blocks) {
    for (const [round, { names, isCallsAlone }] of rounds.entries()) {
      const first = beginnerOf(round, names.length);
      for (const contender of [...names.slice(first), ...names.slice(0, first)]) {
        const startedAtMs = performance.now();
        const measurement = await measureOne(contest, { contender, pending, round, isCallsAlone, sizes });
        measurements.push(measurement);
        const took = `${((performance.now() - startedAtMs) / 1_000).toFixed(0)} s`;
        const which = `round ${round + 1} of ${rounds.length}${isCallsAlone ? ', calls' : ''}`;
        say(`  ${pending} waiting · ${which} · ${contender}: ${measurement.failed ?? took}`);
      }
    }
  }
  return {
    atDay: new Date().toISOString().slice(0, 10),
    commit,
    command,
    machine: { ...(await describeMachine(await stores.postgresUrl(), await stores.redisUrl())), load },
    loadAtEnd: currentLoad(),
    measurements,
  };
};

type Work<Sizes> = Pick<Measurement, 'contender' | 'pending' | 'round'> & {
  readonly isCallsAlone: boolean;
  readonly sizes: Sizes;
};

const measureOne = async <Sizes>(contest: Contest<Sizes>, work: Work<Sizes>): Promise<Measurement> => {
  const { stores, program, atMostMs, quietAtMostMs, redisOf } = contest;
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

interface ChildReply {
  /** The last message of the process; undefined: none. */
  readonly message: unknown;
  /** Its exit code or the signal that ended it. */
  readonly end: string;
}

/** Runs a program in a fresh process, so that it inherits no memory, connections or compiled code. Never throws. */
const ofChild = async (program: string, job: object, atMostMs: number): Promise<ChildReply> => {
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
