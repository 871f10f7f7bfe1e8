import { spawn } from 'node:child_process';
import path from 'node:path';
import { inherited } from '../../../examples/support/server-process.ts';

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

const command = path.join(import.meta.dirname, '../../../server/cli/kibble-command.ts');

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
