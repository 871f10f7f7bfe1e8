import type { Command } from 'commander';
import type { HomeDifference, Verified, VerifyProgress } from '../ops/offline/verify.ts';
import type { IndexFault } from '../ops/offline/verify-index.ts';
import { type Context, wholeNumber } from './console/context.ts';
import { instant } from './console/lines.ts';
import { ProgressLine } from './console/progress.ts';
import { CommandFault, usageFault } from './console/terminal.ts';

/** Work that a command does on the database itself, without a server. */
export interface OpenedDatabase {
  /** Runs missing migrations; returns their names. */
  migrate(): Promise<readonly string[]>;
  /** The migrations that `migrate` would run, and the number of processes that use the schema. */
  migrationState(): Promise<{ readonly pending: readonly string[]; readonly processes: number }>;
  verify(options: {
    readonly checksItems: boolean;
    /** The file with the game's modules; undefined: the reference game's. */
    readonly modulesFile: string | undefined;
    readonly signal: AbortSignal;
    readonly onDifference: (difference: HomeDifference) => void;
    readonly onProgress: (progress: VerifyProgress) => void;
  }): Promise<Verified>;
  /** Undefined if the index is in a server's memory. `refilled`: it lacked entries meanwhile, or still does. */
  verifyIndex(options: {
    readonly signal: AbortSignal;
    readonly onProgress: (done: number) => void;
  }): Promise<readonly IndexFault[] | 'refilled' | undefined>;
  seed(options: {
    readonly players: number;
    readonly things: number;
    readonly events: number;
    readonly prefix: string;
    readonly seed: number;
    readonly signal: AbortSignal;
    readonly onProgress: (done: number) => void;
  }): Promise<{ readonly players: number; readonly events: number }>;
  /** For a database that was restored to an older state. Returns the new epoch. */
  beginEpoch(): Promise<string>;
  close(): Promise<void>;
}

export type OpenDatabase = () => Promise<OpenedDatabase>;

/** The most differences that are printed; all are counted. */
const MOST_PRINTED = 100;

/** `kibble migrate`, `verify`, `begin-epoch`, `seed`: on `DATABASE_URL`, or the running embedded database. */
export const addDatabaseCommands = (program: Command, context: Context, open: OpenDatabase): void => {
  addMigrate(program, context, open);

  program
    .command('verify')
    .description('compare the fold of every log with rows, timers and index; exit code 1 when anything differs')
    .option('--no-stock', 'leave items out: the game keeps them itself')
    .option('--no-index', 'leave the index out')
    .option('--modules <file>', 'what the game passes to createKibble: a file that exports `modules`')
    .action(async (options: VerifyFlags, command: Command) =>
      using(open, (database) => verifyAll(context, command, database, options)),
    );

  program
    .command('begin-epoch')
    .description('after a restore of an older state, while no server runs: clients start anew, the index is refilled')
    .action(async (_options, command: Command) => {
      if (!command.optsWithGlobals<{ yes?: boolean }>().yes)
        throw usageFault('begin-epoch makes every client start anew: this cannot be taken back; pass --yes');
      const epoch = await using(open, (database) => database.beginEpoch());
      await context.show(command, { epoch }, () => [`the new epoch is ${epoch}: start the servers now`]);
    });

  program
    .command('seed')
    .description('make players of the reference game with a past, for trials; run again it goes on')
    .option('--players <count>', 'how many', wholeNumber, 1000)
    .option('--things <count>', 'things of each', wholeNumber, 2)
    .option('--events <count>', 'entries in each log, about', wholeNumber, 12)
    .option('--prefix <text>', 'of their ids', 'seed')
    .option('--seed <number>', 'another one, other players', wholeNumber, 1)
    .action(
      async (
        options: { players: number; things: number; events: number; prefix: string; seed: number },
        command: Command,
      ) => {
        if (!/^[a-z0-9-]{1,40}$/.test(options.prefix)) throw usageFault('--prefix has 1 to 40 of a-z, 0-9 and -');
        if (options.things < 1 || options.things > 8) throw usageFault('--things is 1 to 8');
        const progress = new ProgressLine(context.terminal, 'seed');
        const seeded = await using(open, (database) =>
          database.seed({
            ...options,
            signal: context.terminal.signal,
            onProgress: (done) => progress.report(done, options.players),
          }),
        );
        progress.end(seeded.players, options.players);
        await context.show(command, seeded, () => [`made ${seeded.players} players with ${seeded.events} events`]);
        if (context.terminal.signal.aborted) context.foundSomething();
      },
    );
};

const addMigrate = (program: Command, context: Context, open: OpenDatabase): void => {
  program
    .command('migrate')
    .description('bring the schema up to date')
    .action(async (_options, command: Command) => {
      const { dryRun = false } = command.optsWithGlobals<{ dryRun?: boolean }>();
      const migrations = await using(open, async (database) => {
        const standing = await database.migrationState();
        if (dryRun) return standing.pending;
        await agreeToMove(context, command, standing);
        return database.migrate();
      });
      await context.show(command, { migrations, ...(dryRun && { dryRun }) }, () =>
        migrations.length > 0
          ? migrations.map((name) => (dryRun ? `would run ${name}` : `ran ${name}`))
          : ['nothing to migrate'],
      );
    });
};

/** Older processes may be unable to work on the newer tables. */
const agreeToMove = async (
  context: Context,
  command: Command,
  standing: Awaited<ReturnType<OpenedDatabase['migrationState']>>,
): Promise<void> => {
  const { pending, processes } = standing;
  if (pending.length === 0 || processes === 0) return;
  const isOne = processes === 1;
  const what = `${processes} ${isOne ? 'process works' : 'processes work'} on this schema, which is about to change (${pending.join(', ')})`;
  const remedy = `stop ${isOne ? 'it' : 'them'} first, or pass --yes`;
  const refusal = new CommandFault(`${what}: ${remedy}`, 2, 'database/in-use', standing);
  await context.agree(
    command,
    `${what}. A migration that cannot run beside older processes ends their service. Migrate`,
    refusal,
  );
};

interface VerifyFlags {
  readonly stock: boolean;
  readonly index: boolean;
  readonly modules?: string;
}

const using = async <Value>(open: OpenDatabase, work: (database: OpenedDatabase) => Promise<Value>): Promise<Value> => {
  const database = await open();
  try {
    return await work(database);
  } finally {
    await database.close();
  }
};

const verifyAll = async (
  context: Context,
  command: Command,
  database: OpenedDatabase,
  options: VerifyFlags,
): Promise<void> => {
  const { terminal } = context;
  const isJson = context.isJson(command);
  const progress = new ProgressLine(terminal, 'verify');
  let printed = 0;
  const print = (text: string, difference: object): void => {
    printed += 1;
    if (printed <= MOST_PRINTED) terminal.say(isJson ? JSON.stringify({ difference }) : text);
  };
  const verified = await database.verify({
    checksItems: options.stock,
    modulesFile: options.modules,
    signal: terminal.signal,
    onDifference: (difference) => print(differenceText(difference), difference),
    onProgress: ({ done, total, differences }) => progress.report(done, total, `${differences} differences`),
  });
  progress.end(verified.players, undefined, `${verified.differences} differences`);
  const compared = options.index && !terminal.signal.aborted ? await verifyTheIndex(context, database) : undefined;
  const isRefilled = compared === 'refilled';
  const ofIndex = isRefilled ? undefined : compared;
  for (const difference of ofIndex ?? []) print(indexText(difference), difference);
  const isComplete = verified.isComplete && !isRefilled && !terminal.signal.aborted;
  const summary = { ...verified, isComplete, index: ofIndex?.length ?? null };
  await context.show(command, summary, () => [
    `${verified.players} players, ${verified.events} events: ${verified.differences} differences`,
    ofIndex
      ? `index: ${ofIndex.length} differences`
      : `index: not compared (${isRefilled ? 'it is being refilled: verify again' : 'it is in the memory of a server, or left out'})`,
    ...(printed > MOST_PRINTED ? [`${printed - MOST_PRINTED} more were not printed`] : []),
    ...(isComplete || isRefilled ? [] : ['stopped before the end']),
  ]);
  if (!isComplete || verified.differences > 0 || (ofIndex?.length ?? 0) > 0) context.foundSomething();
};

const verifyTheIndex = async (
  context: Context,
  database: OpenedDatabase,
): ReturnType<OpenedDatabase['verifyIndex']> => {
  const progress = new ProgressLine(context.terminal, 'index');
  return database.verifyIndex({
    signal: context.terminal.signal,
    onProgress: (done) => progress.report(done, undefined),
  });
};

const differenceText = ({ playerId, at, expected, found, events }: HomeDifference): string =>
  [
    `${playerId} ${at}: the log says ${JSON.stringify(expected) ?? 'nothing'}, the rows say ${JSON.stringify(found) ?? 'nothing'}`,
    ...events.map((event) => `    ${JSON.stringify(event)}`),
  ].join('\n');

const indexText = ({ timerId, owner, rowAtMs, indexAtMs }: IndexFault): string =>
  `timer ${timerId} of ${owner}: the row fires ${instant(rowAtMs)}, the index ${instant(indexAtMs)}`;
