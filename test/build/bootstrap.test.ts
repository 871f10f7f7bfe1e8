import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished, vi } from 'vitest';

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

/** A clone without packages, whose npm is this script. */
const cloneWith = (npm: string) => {
  const clone = mkdtempSync(path.join(os.tmpdir(), 'kibble-clone-'));
  onTestFinished(() => rmSync(clone, { recursive: true, force: true }));
  const write = (name: string, text: string) => writeFileSync(path.join(clone, name), text);
  mkdirSync(path.join(clone, 'build'));
  for (const file of ['build/bootstrap.mjs', 'build/install.mjs'])
    cpSync(path.join(root, file), path.join(clone, file));
  write('package-lock.json', JSON.stringify({ packages: { 'node_modules/missing': { version: '1.0.0' } } }));
  write('server.mjs', "process.stdout.write('there\\n');");
  write('npm-cli.cjs', `fs = require('node:fs'); fs.mkdirSync('node_modules'); ${npm}`);
  return { clone, environment: { npm_execpath: path.join(clone, 'npm-cli.cjs') } };
};

it('no server starts when npm was stopped while it installed', async () => {
  // An npm that installs until the other end of the pipe is closed.
  const { clone, environment } = cloneWith("fs.readFileSync('installing');");
  execFileSync('mkfifo', [path.join(clone, 'installing')]);
  const script = `"${process.execPath}" build/bootstrap.mjs server.mjs; true`;
  const { child, lines } = runAs('/bin/sh', ['-c', script], environment, clone);
  const installing = await open(path.join(clone, 'installing'), 'w');
  child.kill('SIGKILL');
  await once(child, 'exit');
  await installing.close();
  expect(await lines.next()).toMatchObject({ done: true });
});

it('an installer whose lock another process removed makes it again, and goes on', async () => {
  const npm = `
    const lock = '.kibble-install.lock';
    const watcher = fs.watch('.', () => fs.existsSync(lock) && watcher.close());
    fs.rmdirSync(lock);`;
  const { clone, environment } = cloneWith(npm);
  const { lines } = runAs(process.execPath, ['build/bootstrap.mjs', 'server.mjs'], environment, clone);
  expect((await lines.next()).value).toBe('there');
});

it('a second installer says that it waits', async () => {
  const { clone, environment } = cloneWith('');
  mkdirSync(path.join(clone, '.kibble-install.lock'));
  const child = spawn(process.execPath, ['build/bootstrap.mjs', 'server.mjs'], {
    cwd: clone,
    env: { PATH: process.env.PATH ?? '', ...environment },
  });
  const told = createInterface({ input: child.stderr })[Symbol.asyncIterator]();
  expect((await told.next()).value).toMatch(/another process installs.*waiting/);
  rmSync(path.join(clone, '.kibble-install.lock'), { recursive: true });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe('there');
});

it.each(['18.20.8', '19.9.0'])('Node %s is refused, with the oldest that starts it', (version) => {
  const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
  const told = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${older}`, 'build/bootstrap.mjs', 'x.ts'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  expect(told).toMatchObject({
    status: 1,
    stderr: expect.stringContaining(`Node 20 or newer to start (this is ${version})`),
  });
});

it('an install that is stopped stops its npm, and frees the next start', async () => {
  const { clone, environment } = cloneWith("fs.writeFileSync('pid', String(process.pid)); setInterval(() => {}, 1e6);");
  const child = spawn(process.execPath, ['build/bootstrap.mjs', 'server.mjs'], {
    cwd: clone,
    env: { PATH: process.env.PATH ?? '', ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const pid = () => (existsSync(path.join(clone, 'pid')) ? Number(readFileSync(path.join(clone, 'pid'), 'utf8')) : 0);
  await vi.waitFor(() => expect(pid()).toBeGreaterThan(0), { timeout: 10_000 });
  child.kill('SIGTERM');
  expect(await once(child, 'close')).toEqual([1, null]);
  expect(existsSync(path.join(clone, '.kibble-install.lock'))).toBe(false);
  expect(() => process.kill(pid(), 0)).toThrow('ESRCH');
});

/** What a start says in a clone with this record of npm; `versions`: the Node that it takes itself for. */
const startWith = (record: string, { lock = {}, version = process.versions.node, bundled = '' } = {}) => {
  const { clone, environment } = cloneWith('');
  mkdirSync(path.join(clone, 'node_modules'), { recursive: true });
  writeFileSync(path.join(clone, 'node_modules/.package-lock.json'), record);
  writeFileSync(path.join(clone, 'package-lock.json'), JSON.stringify({ packages: lock }));
  writeFileSync(path.join(clone, 'npm-cli.cjs'), "process.stdout.write('npm was called'); process.exitCode = 1;");
  if (bundled) {
    const folder = path.join(clone, `node_modules/node-${process.platform}-${process.arch}/bin`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'node'), bundled, { mode: 0o755 });
  }
  const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
  const args = ['--import', `data:text/javascript,${older}`, 'build/bootstrap.mjs', 'server.mjs'];
  const env = { PATH: process.env.PATH ?? '', ...environment };
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: clone, encoding: 'utf8', env });
  return `${stdout}${stderr}`;
};
const recordOf = (packages: object): string => JSON.stringify({ packages });

it.each([
  [
    'an optional package of another version',
    recordOf({ extra: { version: '1.0.0', optional: true } }),
    'npm was called',
  ],
  ['an unreadable record', '', 'npm was called'],
  [
    'a package of another platform',
    recordOf({ extra: { version: '2.0.0', os: ['aix'] } }),
    'on another platform (it has extra',
  ],
  [
    'a package that is not for this platform',
    recordOf({ extra: { version: '2.0.0', os: [`!${process.platform}`] } }),
    'another platform',
  ],
])('%s is noticed', (_what, record, said) => {
  const lock = { extra: { version: '2.0.0', optional: true }, needed: { version: '1.0.0' } };
  expect(startWith(record, { lock })).toContain(said);
});

it.each([
  ['20.19.0', 'bundled'],
  ['23.5.0', 'bundled'],
  ['23.6.0', 'there'],
  ['22.18.0', 'there'],
])('on Node %s it is %s', (version, said) => {
  const bundled = '#!/bin/sh\necho bundled\n';
  expect(startWith(recordOf({}), { version, bundled })).toContain(said);
});

it.each(['build/bootstrap.mjs', 'Dockerfile', 'examples/support/server-process.ts'])(
  '%s starts a server with the bounds on memory that the floods were measured with',
  (file) => {
    const text = readFileSync(path.join(root, file), 'utf8');
    for (const option of ['--max-semi-space-size=32', '--heap-growing-percent=50']) expect(text).toContain(option);
  },
);
