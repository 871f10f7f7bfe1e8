import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '../..');
const command = `"${process.execPath}" build/bootstrap.mjs test/support/machine/until-stopped.ts; true`;

/** As npm runs a script: in a shell, which a killed npm takes along. */
const runAs = (environment: Readonly<Record<string, string>>) => {
  const shell = spawn('/bin/sh', ['-c', command], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  return { shell, lines: createInterface({ input: shell.stdout })[Symbol.asyncIterator]() };
};

it('a server under npm is asked to end when npm and its shell are killed', async () => {
  const { shell, lines } = runAs({ npm_lifecycle_event: 'start' });
  expect((await lines.next()).value).toBe('there');
  shell.kill('SIGKILL');
  expect((await lines.next()).value).toBe('asked to end');
});
