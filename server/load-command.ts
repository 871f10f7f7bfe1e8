// What `npm run load` runs: `kibble load` by itself.
import { Command, CommanderError } from 'commander';
import { random } from './adapter/random.ts';
import { systemClock } from './adapter/system-clock.ts';
import { addLoad, type LoadSurroundings } from './cli/load.ts';

/** Where `npm start` listens. */
const LOCAL = 'http://localhost:2567';

const interrupted = new AbortController();

const terminal: LoadSurroundings['terminal'] = {
  say: (line) => process.stdout.write(`${line}\n`),
  note: (line) => process.stderr.write(`${line}\n`),
  rewrite: (line) => process.stderr.write(`\r\u001b[K${line}`),
  isForReader: process.stderr.isTTY === true,
  monotonicMs: () => systemClock.monotonicMs(),
  pause: (ms) =>
    new Promise((resolve) => {
      const end = (): void => {
        cancel();
        interrupted.signal.removeEventListener('abort', end);
        resolve();
      };
      const cancel = systemClock.after(ms, end);
      interrupted.signal.addEventListener('abort', end);
    }),
  signal: interrupted.signal,
  uniqueName: random.uniqueName,
};

const run = async (args: readonly string[]): Promise<0 | 1 | 2> => {
  let isWell = true;
  const program = new Command('kibble')
    .option('--url <url>', 'of a running server', LOCAL)
    .option('--json', 'in one line');
  addLoad(program, {
    terminal,
    defaultUrl: () => LOCAL,
    foundSomething: () => {
      isWell = false;
    },
  });
  for (const command of [program, ...program.commands])
    command.exitOverride().showHelpAfterError('(--help lists the flags)');
  try {
    await program.parseAsync(['load', ...args], { from: 'user' });
    return isWell ? 0 : 1;
  } catch (error) {
    // Commander has said it already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    terminal.note(error instanceof Error ? error.message : String(error));
    return 1;
  }
};

// The first ends the run in good order, the second ends the process.
process.once('SIGINT', () => interrupted.abort());
process.once('SIGTERM', () => interrupted.abort());

process.exitCode = await run(process.argv.slice(2));
