import type { Terminal } from '../../../server/cli/console/terminal.ts';
import { runProgram } from '../../../server/cli/program.ts';

/** Runs the command `kibble` at a terminal that does what is given, and else nothing. Returns the exit code. */
export const runAtTerminal = (args: readonly string[], given: Partial<Terminal>): Promise<number> => {
  const terminal: Terminal = {
    say: () => undefined,
    note: () => undefined,
    rewrite: () => undefined,
    isForReader: false,
    canAsk: false,
    ask: async () => 'y',
    monotonicMs: () => 0,
    pause: async () => undefined,
    signal: new AbortController().signal,
    uniqueName: () => 'a-command-of-the-test',
    ...given,
  };
  return runProgram(args, {
    terminal,
    defaults: () => ({ url: undefined, token: 'any' }),
    openDatabase: () => Promise.reject(new Error('no database here')),
    startDevDatabase: () => Promise.reject(new Error('no Postgres here')),
    version: '1',
    explain: String,
  });
};
