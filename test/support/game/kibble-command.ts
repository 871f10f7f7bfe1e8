import { spawn } from 'node:child_process';
import path from 'node:path';
import { vi } from 'vitest';
import { inherited } from '../../../examples/support/server-process.ts';
import type { Terminal } from '../../../server/cli/console/terminal.ts';
import { runProgram } from '../../../server/cli/program.ts';

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export const command = path.join(import.meta.dirname, '../../../server/cli/kibble-command.ts');

/** Runs `kibble` as a process of its own, without a terminal. `onNote` hears each piece of stderr, and may interrupt. */
export const runKibble = (
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  onNote: (note: string, interrupt: () => void) => void = () => undefined,
): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [command, ...args], {
      env: { ...inherited(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, err] = ['', ''];
    let isInterrupted = false;
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk: Buffer) => {
      err += chunk;
      onNote(String(chunk), () => {
        if (!isInterrupted) child.kill('SIGINT');
        isInterrupted = true;
      });
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, out, err }));
  });

let runs = 0;

/**
 * The same in this process, one at a time: the command's own file runs anew, with arguments, environment, output and exit
 * code of its own, and what it imports is loaded once. For what a command says; signals and an end are a process's.
 */
export const runKibbleHere = async (args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ran> => {
  const { argv, env: ownEnv, exitCode } = process;
  const said = { out: '', err: '' };
  const mocks = [
    vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => keep('out', chunk)),
    vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => keep('err', chunk)),
    vi.spyOn(process, 'once').mockReturnThis(),
    vi.spyOn(process.stdout, 'on').mockReturnThis(),
  ];
  const keep = (stream: keyof typeof said, chunk: string | Uint8Array): true => {
    said[stream] += chunk;
    return true;
  };
  Object.assign(process, { argv: [process.execPath, command, ...args], env: { ...inherited(), ...env } });
  try {
    runs += 1;
    await import(`${command}?run=${runs}`);
    return { code: Number(process.exitCode), ...said };
  } finally {
    for (const mock of mocks) mock.mockRestore();
    Object.assign(process, { argv, env: ownEnv, exitCode });
  }
};

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
