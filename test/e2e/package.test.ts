import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { Pool } from 'pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { createDatabase, type Database } from '../support/postgres/postgres-server.ts';

const run = promisify(execFile);
const root = path.join(import.meta.dirname, '../..');
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const children: ChildProcess[] = [];
let game: string;
let tarball: string;
let database: Database;

/** An empty Colyseus project, with the packed package installed into it. */
beforeAll(async () => {
  game = mkdtempSync(path.join(os.tmpdir(), 'kibble-host-'));
  await run(process.execPath, ['build/package.ts'], { cwd: root });
  await run(npm, ['pack', path.join(root, 'dist'), '--pack-destination', game]);
  tarball = readdirSync(game).find((name) => name.endsWith('.tgz')) ?? '';
  const own = manifest.devDependencies;
  writeFileSync(
    path.join(game, 'package.json'),
    JSON.stringify({
      name: 'host-game',
      private: true,
      type: 'module',
      dependencies: {
        '@colyseus/core': own['@colyseus/core'],
        '@colyseus/schema': own['@colyseus/schema'],
        '@colyseus/sdk': own['@colyseus/sdk'],
        '@colyseus/ws-transport': manifest.dependencies['@colyseus/ws-transport'],
        'colyseus-kibble': `file:./${tarball}`,
        'fast-check': own['fast-check'],
        express: manifest.dependencies.express,
        pg: manifest.dependencies.pg,
      },
      overrides: manifest.overrides,
    }),
  );
  await run(
    npm,
    [
      'install',
      '--prefer-offline',
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
      '--omit=optional',
      '--loglevel=error',
    ],
    {
      cwd: game,
    },
  );
  for (const file of ['server.js', 'client.js'])
    copyFileSync(path.join(import.meta.dirname, 'host-game', file), path.join(game, file));
  database = await createDatabase(inject('postgresUrl'));
}, 180_000);

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
    run(process.execPath, [publint, path.join(root, 'dist'), '--strict']),
    run(process.execPath, [attw, path.join(game, tarball), '--profile', 'esm-only']),
  ]);
  const entries = ['', '/room', '/timers', '/work', '/testing'].map((subpath) => `colyseus-kibble${subpath}`);
  const listing = `for (const name of ${JSON.stringify(entries)})
    console.log(name, typeof Object.values(await import(name)).find((some) => typeof some === 'function'));`;
  const listed = await run(process.execPath, ['--input-type=module', '--eval', listing], { cwd: game });
  expect(listed.stdout.trim().split('\n')).toEqual(entries.map((name) => `${name} function`));
});
