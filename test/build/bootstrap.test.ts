import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';

const root = path.join(import.meta.dirname, '../..');
/** The shell stays behind it: `true` is still to come. */
const command = `"${process.execPath}" build/bootstrap.mjs test/support/machine/until-stopped.ts; true`;

const runAs = (program: string, args: readonly string[], environment: Readonly<Record<string, string>>, cwd = root) => {
  const child = spawn(program, args, {
    cwd,
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

it('no server starts when npm was stopped while it installed', async () => {
  const clone = mkdtempSync(path.join(os.tmpdir(), 'kibble-clone-'));
  onTestFinished(() => rmSync(clone, { recursive: true, force: true }));
  const write = (name: string, text: string) => writeFileSync(path.join(clone, name), text);
  mkdirSync(path.join(clone, 'build'));
  cpSync(path.join(root, 'build/bootstrap.mjs'), path.join(clone, 'build/bootstrap.mjs'));
  write('package-lock.json', JSON.stringify({ packages: { 'node_modules/missing': { version: '1.0.0' } } }));
  write('server.mjs', "process.stdout.write('there\\n');");
  // An npm that installs until the other end of the pipe is closed.
  execFileSync('mkfifo', [path.join(clone, 'installing')]);
  write('npm-cli.cjs', "fs = require('node:fs'); fs.mkdirSync('node_modules'); fs.readFileSync('installing');");
  const script = `"${process.execPath}" build/bootstrap.mjs server.mjs; true`;
  const environment = { npm_execpath: path.join(clone, 'npm-cli.cjs') };
  const { child, lines } = runAs('/bin/sh', ['-c', script], environment, clone);
  const installing = await open(path.join(clone, 'installing'), 'w');
  child.kill('SIGKILL');
  await once(child, 'exit');
  await installing.close();
  expect(await lines.next()).toMatchObject({ done: true });
});
