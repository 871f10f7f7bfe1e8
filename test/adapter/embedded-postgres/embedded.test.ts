import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startEmbedded } from '../../../server/adapter/embedded-postgres/embedded.ts';
import { runningPostmaster, stopPostmaster } from '../../../server/adapter/embedded-postgres/postmaster.ts';

const holder = path.resolve(import.meta.dirname, '../../support/postgres/hold-embedded.ts');
/** Has a cluster that no test touches: a copy of it takes a tenth of the time of a new one. */
let made: string;
beforeAll(async () => {
  made = mkdtempSync(path.join(os.tmpdir(), 'kibble-embedded-'));
  await (await start(made)).stop();
});
afterAll(() => rmSync(made, { recursive: true }));

/** A folder of this test alone, in which nothing runs any more when it has ended, however it did. */
const empty = (): string => {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'kibble-embedded-'));
  onTestFinished(async () => {
    const running = runningPostmaster(clusterOf(dataDir));
    if (running !== undefined) await stopPostmaster(clusterOf(dataDir), running);
    rmSync(dataDir, { recursive: true });
  });
  return dataDir;
};
/** The same with a cluster in it that has run before. */
const used = (): string => {
  const dataDir = empty();
  // With owners: root's cluster belongs to another account.
  execFileSync('cp', ['-a', `${made}/.`, dataDir]);
  return dataDir;
};
/** Without waiting for the disk, but where that is the question: processes are killed here, no power is cut. */
const start = (dataDir: string) => startEmbedded({ dataDir, isDurable: false });
const clusterOf = (dataDir: string): string => path.join(dataDir, 'postgres');

it('goes on, with all data, on the Postgres that a killed server left running', async () => {
  const dataDir = used();
  const first = await hold(dataDir);
  await query(first.said, 'create table kept as select 1 as one');
  const pid = runningPostmaster(clusterOf(dataDir))?.pid;
  await kill(first.child);

  const second = await start(dataDir);

  expect(second.url).toBe(first.said);
  expect(runningPostmaster(clusterOf(dataDir))?.pid).toBe(pid);
  expect((await query(second.url, 'select one from kept')).rows).toEqual([{ one: 1 }]);
  await second.stop();
  expect(runningPostmaster(clusterOf(dataDir))).toBeUndefined();
});

it('recovers what was committed before Postgres itself was killed', async () => {
  const dataDir = used();
  const first = await startEmbedded({ dataDir });
  await query(first.url, 'create table kept as select 1 as one');
  process.kill(runningPostmaster(clusterOf(dataDir))?.pid ?? 0, 'SIGKILL');

  const second = await startEmbedded({ dataDir });

  expect((await query(second.url, 'select one from kept')).rows).toEqual([{ one: 1 }]);
  await second.stop();
});

it('leaves a pid file that is being written, and starts beside one that was never finished', async () => {
  const dataDir = used();
  const pidFile = path.join(clusterOf(dataDir), 'postmaster.pid');
  for (const unfinished of ['', '1234\n']) {
    writeFileSync(pidFile, unfinished);
    expect(runningPostmaster(clusterOf(dataDir))).toBeUndefined();
    expect(readFileSync(pidFile, 'utf8')).toBe(unfinished);
  }
  const postgres = await start(dataDir);
  expect((await query(postgres.url, 'select 1 as one')).rows).toEqual([{ one: 1 }]);
  await postgres.stop();
});

it('refuses a folder that another server is using, and leaves that one alone', async () => {
  const dataDir = used();
  const first = await hold(dataDir);

  await expect(start(dataDir)).rejects.toMatchObject({ code: 'embedded/in-use' });

  expect((await query(first.said, 'select 1 as one')).rows).toEqual([{ one: 1 }]);
  await kill(first.child);
});

it('lets one of two first starts win, and refuses the other', async () => {
  const dataDir = empty();
  const both = await Promise.all([hold(dataDir), hold(dataDir)]);

  expect(both.map(({ said }) => said.replace(/^postgres:.*/, 'started')).sort()).toEqual([
    'embedded/in-use',
    'started',
  ]);
  await Promise.all(both.map(({ child }) => kill(child)));
});

it('is not misled by a pid file whose process is by now another program', async () => {
  const dataDir = used();
  await (await start(dataDir)).stop();
  writeFileSync(
    path.join(clusterOf(dataDir), 'postmaster.pid'),
    `${process.pid}\n${clusterOf(dataDir)}\n1\n5432\n\n127.0.0.1\n`,
  );

  const again = await start(dataDir);

  expect((await query(again.url, 'select 1 as one')).rows).toEqual([{ one: 1 }]);
  await again.stop();
});

it('writes to disk before it answers, counts in UTC and stores UTF8', async () => {
  const dataDir = used();
  const { url, stop } = await startEmbedded({ dataDir });

  const { rows } = await query(
    url,
    `select name, setting from pg_settings where name in ('fsync', 'synchronous_commit', 'TimeZone', 'server_encoding', 'listen_addresses')`,
  );

  expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
    fsync: 'on',
    synchronous_commit: 'on',
    TimeZone: 'UTC',
    server_encoding: 'UTF8',
    listen_addresses: '127.0.0.1',
  });
  await stop();
});

it('lets nobody in without the password, which it keeps for this user alone', async () => {
  const dataDir = used();
  const { url, stop } = await start(dataDir);
  const stranger = new URL(url);
  stranger.password = 'guess';

  await expect(query(stranger.href, 'select 1')).rejects.toMatchObject({ code: '28P01' });

  expect(statSync(path.join(dataDir, 'postgres-password')).mode & 0o777).toBe(0o600);
  await stop();
});

it('refuses data of another major version', async () => {
  const dataDir = empty();
  mkdirSync(clusterOf(dataDir));
  writeFileSync(path.join(clusterOf(dataDir), 'PG_VERSION'), '12\n');

  await expect(start(dataDir)).rejects.toMatchObject({
    code: 'embedded/version',
    message: expect.stringMatching(/Postgres 12.*DATA_DIR/),
  });
});

it('refuses a folder that it cannot write', async () => {
  const file = path.join(empty(), 'file');
  writeFileSync(file, '');

  await expect(start(path.join(file, 'data'))).rejects.toMatchObject({
    code: 'embedded/not-writable',
    message: expect.stringMatching(/DATA_DIR/),
  });
});

/** A server in a process of its own, and the first line it said: its URL, or why not. */
const hold = async (dataDir: string): Promise<{ child: ChildProcess; said: string }> => {
  const child = spawn(process.execPath, [holder, dataDir], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => kill(child));
  const [chunk] = await once(child.stdout, 'data');
  return { child, said: String(chunk).trim() };
};

const kill = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
};

const query = async (connectionString: string, statement: string) => {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    return await client.query(statement);
  } finally {
    await client.end();
  }
};
