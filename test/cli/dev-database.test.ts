import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { inherited } from '../../examples/support/server-process.ts';
import { runningPostmaster, stopPostmaster } from '../../server/adapter/embedded-postgres/postmaster.ts';
import { runKibble } from '../support/game/kibble-command.ts';
import { freePort } from '../support/redis/redis-server.ts';

const command = path.join(import.meta.dirname, '../../server/cli/kibble-command.ts');

/** A folder of a game, in which nothing runs any more when the test has ended. */
const emptyFolder = (): string => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-dev-database-'));
  onTestFinished(async () => {
    const running = runningPostmaster(path.join(folder, 'postgres'));
    if (running) await stopPostmaster(path.join(folder, 'postgres'), running);
    rmSync(folder, { recursive: true });
  });
  return folder;
};

/** The command as a process that runs; `url` is what it printed. */
const devDatabase = async (...args: readonly string[]) => {
  const child = spawn(process.execPath, [command, 'dev-database', ...args], {
    env: inherited(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = (await Promise.race([once(child.stdout, 'data'), ended(child)])) as [Buffer];
  return { child, url: String(line).match(/^DATABASE_URL=(postgres:\S+)\n$/)?.[1] ?? `${line}` };
};

const ended = async (child: ChildProcess): Promise<unknown[]> => {
  const [code] = await once(child, 'exit');
  return [code];
};

const ask = async (connectionString: string, text: string): Promise<unknown[]> => {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
};

it('runs a Postgres at the URL that it prints until it gets a signal, and keeps its data', {
  timeout: 120_000,
}, async () => {
  const folder = emptyFolder();
  const port = await freePort();
  const args = ['--dir', folder, '--port', String(port)];
  const first = await devDatabase(...args);
  expect(first.url).toMatch(new RegExp(`^postgres://kibble:\\w+@127\\.0\\.0\\.1:${port}/kibble$`));
  // Tables of the game are in `public`, also beside a schema that is called as the user.
  await ask(first.url, 'create schema kibble');
  await ask(first.url, 'create table hero as select 7 as gold');
  expect(await ask(first.url, 'select gold from public.hero')).toEqual([{ gold: 7 }]);

  first.child.kill('SIGINT');
  expect(await ended(first.child)).toEqual([0]);
  await expect(ask(first.url, 'select 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });

  const second = await devDatabase(...args);
  expect(second.url).toBe(first.url);
  expect(await ask(second.url, 'select gold from hero')).toEqual([{ gold: 7 }]);
  second.child.kill('SIGTERM');
  expect(await ended(second.child)).toEqual([0]);
});

it('says which folder another one uses, and leaves that one alone', { timeout: 120_000 }, async () => {
  const folder = emptyFolder();
  const { child, url } = await devDatabase('--dir', folder, '--port', String(await freePort()));
  const { code, out, err } = await runKibble(['dev-database', '--dir', folder], {});
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(/^embedded\/in-use: .* is using the data folder .*kibble-dev-database-/);
  expect(await ask(url, 'select 1 as one')).toEqual([{ one: 1 }]);
  child.kill('SIGINT');
  expect(await ended(child)).toEqual([0]);
});

it('says which port is in use, before it makes anything', { timeout: 60_000 }, async () => {
  const folder = emptyFolder();
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const { port } = other.address() as { port: number };
  const { code, out, err } = await runKibble(['dev-database', '--port', String(port)], { DATA_DIR: folder });
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(new RegExp(`^embedded/port-in-use: Port ${port} .*EADDRINUSE.*another port`));
  expect(readdirSync(folder)).toEqual([]);
  expect(await runKibble(['dev-database', '--port', '70000'], {})).toMatchObject({ code: 2 });
});
