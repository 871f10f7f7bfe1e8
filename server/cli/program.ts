import { Command, CommanderError } from 'commander';
import { Context, type Defaults } from './console/context.ts';
import { CommandFault, plainly, type Terminal, usageFault } from './console/terminal.ts';
import { addDatabaseCommands, type OpenDatabase } from './database-commands.ts';
import { addDevDatabaseCommand, type StartDevDatabase } from './dev-database-command.ts';
import { addJobCommands } from './job-commands.ts';
import { addLoadCommand } from './load-command.ts';
import { addPlayerCommands } from './player-commands.ts';
import { addRulesCommand } from './rules-command.ts';
import { addServerCommands } from './server-commands.ts';
import { addTimerCommands } from './timer-commands.ts';

interface Surroundings {
  readonly terminal: Terminal;
  readonly defaults: () => Defaults;
  readonly openDatabase: OpenDatabase;
  readonly startDevDatabase: StartDevDatabase;
  readonly version: string;
  /** Explains an error that is not ours. */
  readonly explain: (error: unknown) => string;
}

/** Runs one command. Returns the exit code: 0 done, 1 found or failed, 2 used wrongly. Never throws. */
export const runProgram = async (args: readonly string[], surroundings: Surroundings): Promise<0 | 1 | 2> => {
  const { defaults, openDatabase, startDevDatabase, version, explain } = surroundings;
  const isJson = args.includes('--json');
  const terminal = isJson ? surroundings.terminal : plainly(surroundings.terminal);
  const context = new Context(terminal, defaults);
  const program = new Command('kibble')
    .description('Operates Kibble: players, timers, the index, the database.')
    .version(version)
    .option(
      '--url <url>',
      'of a running server, or of its operators’ page where that is not /ops (KIBBLE_URL; else the one that works on DATA_DIR)',
    )
    .option('--token <token>', 'of an operator (KIBBLE_TOKEN; else DATA_DIR/operator-token)')
    .option('--json', 'print JSON, one line each')
    .option('--reason <text>', 'why: every write needs one')
    .option('--dry-run', 'say what would happen, and change nothing')
    .option('--yes', 'do not ask')
    .option('--command-id <id>', 'sent again with the same id a write is done once')
    .exitOverride()
    .showHelpAfterError('(kibble --help lists the commands)')
    .configureOutput({
      writeOut: (text) => terminal.say(text.trimEnd()),
      writeErr: (text) => terminal.note(text.trimEnd()),
    });
  addServerCommands(program, context);
  addPlayerCommands(program, context);
  addTimerCommands(program, context);
  addJobCommands(program, context);
  addDatabaseCommands(program, context, openDatabase);
  addDevDatabaseCommand(program, context, startDevDatabase);
  addRulesCommand(program, context);
  addLoadCommand(program, context);
  adopt(program);
  program.hook('preAction', (_program, command) => {
    if (!NO_DRY_RUN.has(command.name()) || !command.optsWithGlobals<{ dryRun?: boolean }>().dryRun) return;
    throw usageFault(`${command.name()} has no dry run: leave --dry-run out`);
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return context.hasFound ? 1 : 0;
  } catch (error) {
    // Commander has printed the fault already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    return tell(error, isJson, terminal, explain);
  }
};

/** Commands with changes that cannot be known in advance. */
const NO_DRY_RUN: ReadonlySet<string> = new Set(['begin-epoch', 'seed', 'dev-database', 'load']);

/** Subcommands do not inherit these settings by themselves. */
const adopt = (parent: Command): void => {
  for (const command of parent.commands) {
    command.copyInheritedSettings(parent);
    adopt(command);
  }
};

const tell = (error: unknown, isJson: boolean, terminal: Terminal, explain: (error: unknown) => string): 1 | 2 => {
  if (!(error instanceof CommandFault)) {
    terminal.note(isJson ? JSON.stringify({ code: 'failed', message: explain(error), params: {} }) : explain(error));
    return 1;
  }
  const { code, message, params, exitCode } = error;
  terminal.note(isJson ? JSON.stringify({ code, message, params }) : `error: ${message}`);
  return exitCode;
};
