import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { afterAll, afterEach, expect, it } from 'vitest';
import { type EmbeddedPostgres, startEmbedded } from '../../../server/adapter/embedded-postgres/embedded.ts';
import { nextLook, runningPostmaster, stopPostmaster } from '../../../server/adapter/embedded-postgres/postmaster.ts';

const run = promisify(execFile);
const holder = path.resolve(import.meta.dirname, '../../support/postgres/hold-embedded.ts');
const stopAbandoned = path.resolve(import.meta.dirname, '../../../server/adapter/embedded-postgres/stop-abandoned.ts');
const dataDir = mkdtempSync(path.join(os.tmpdir(), 'kibble-abandoned-'));
const cluster = (): string => path.join(dataDir, 'postgres');

afterEach(async () => {
  const running = runningPostmaster(cluster());
  if (running) await stopPostmaster(cluster(), running);
});
afterAll(() => rmSync(dataDir, { recursive: true }));

it('a Postgres whose server was killed ends by itself, with all data on disk', async () => {
  const { child, url } = await hold('0');
  await query(url, 'create table kept as select 1 as one');
  await kill(child);

  while (runningPostmaster(cluster())) await nextLook();

  const again = await start();
  expect(await query(again.url, 'select one from kept')).toEqual([{ one: 1 }]);
  await again.stop();
});

it('a Postgres that another server has taken over is left alone', async () => {
  const first = await hold('600000');
  await kill(first.child);
  const second = await start();

  await run(process.execPath, [stopAbandoned, dataDir]);

  expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  await second.stop();
});

it('the same program ends one that no server has taken over, and finds nothing to do then', async () => {
  const first = await hold('600000');
  await kill(first.child);

  await run(process.execPath, [stopAbandoned, dataDir]);
  expect(runningPostmaster(cluster())).toBeUndefined();
  await run(process.execPath, [stopAbandoned, dataDir]);
});

it('a start waits for an old Postgres that has not let go of the folder yet', async () => {
  const first = await hold('600000');
  const session = new Client({ connectionString: first.url });
  session.on('error', () => undefined);
  await session.connect();
  const backend = Number((await session.query('select pg_backend_pid() as pid')).rows[0]?.pid);
  process.kill(backend, 'SIGSTOP');
  process.kill(runningPostmaster(cluster())?.pid ?? 0, 'SIGKILL');

  const said: string[] = [];
  const waiting = Promise.withResolvers<void>();
  const second = startEmbedded({
    dataDir,
    isDurable: false,
    log: (line) => {
      said.push(line);
      waiting.resolve();
    },
  });
  await Promise.race([waiting.promise, second]);
  process.kill(backend, 'SIGCONT');

  const { url, stop } = await second;
  expect(said).toEqual(['waiting for the Postgres that is still ending on the data folder']);
  expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
  await stop();
  await session.end().catch(() => undefined);
  await kill(first.child);
});

it('a start that fails says why, not only that Postgres ended', async () => {
  await (await start()).stop();
  const faulty = startEmbedded({ dataDir, isDurable: false, settings: { max_connections: 'many' } });
  await expect(faulty).rejects.toMatchObject({
    code: 'embedded/failed',
    message: expect.stringMatching(/FATAL: .*max_connections/),
  });
});

const start = (): Promise<EmbeddedPostgres> => startEmbedded({ dataDir, isDurable: false });

/** A server in its own process; its Postgres outlives it for this time. */
const hold = async (abandonedAfterMs: string): Promise<{ child: ChildProcess; url: string }> => {
  const child = spawn(process.execPath, [holder, dataDir, abandonedAfterMs], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [chunk] = await once(child.stdout, 'data');
  return { child, url: String(chunk).trim() };
};

const kill = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
};

const query = async (connectionString: string, statement: string): Promise<readonly unknown[]> => {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
};
