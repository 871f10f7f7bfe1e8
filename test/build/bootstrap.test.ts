import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '../..');
/** The shell stays behind it: `true` is still to come. */
const command = `"${process.execPath}" build/bootstrap.mjs test/support/machine/until-stopped.ts; true`;

const runAs = (program: string, args: readonly string[], environment: Readonly<Record<string, string>>) => {
  const child = spawn(program, args, {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', npm_lifecycle_event: 'start', ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
};

it('a server under npm is asked to end when npm’s shell is killed', async () => {
  const { child, lines } = runAs('/bin/sh', ['-c', command], {});
  expect((await lines.next()).value).toBe('there');
  child.kill('SIGKILL');
  expect((await lines.next()).value).toBe('asked to end');
});

it('a server under npm is asked to end when npm alone is killed, and its shell lives on', async () => {
  const npm = `require('node:child_process').spawn('/bin/sh', ['-c', process.env.npm_lifecycle_script], { stdio: 'inherit' })`;
  const { child, lines } = runAs(process.execPath, ['--eval', npm], { npm_lifecycle_script: command });
  expect((await lines.next()).value).toBe('there');
  child.kill('SIGKILL');
  expect((await lines.next()).value).toBe('asked to end');
});
