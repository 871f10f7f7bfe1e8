import { spawn } from 'node:child_process';
import path from 'node:path';

export interface RanLoad {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

const command = path.join(import.meta.dirname, '../../server/load-command.ts');

/** Runs `npm run load` without npm and without a terminal. `onNote` hears each piece of stderr, and may interrupt. */
export const ranLoad = (
  args: readonly string[],
  onNote: (interrupt: () => void) => void = () => undefined,
): Promise<RanLoad> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [command, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk: Buffer) => {
      err += chunk;
      onNote(() => child.kill('SIGINT'));
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, out, err }));
  });
