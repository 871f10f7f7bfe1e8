import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Client, DatabaseError } from 'pg';
import { startEmbedded } from '../../server/adapter/postgres/embedded.ts';
import { isAlive, nextLook, runningPostmaster, stopPostmaster } from '../../server/adapter/postgres/postmaster.ts';

export interface PostgresServer {
  readonly url: string;
  /** Stops the server and removes its data. */
  stop(): Promise<void>;
  /** SIGKILL of the postmaster, as a crash; its sessions end by themselves. Resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts again on the same port and folder, after `kill`. Resolves when it answers. */
  restart(): Promise<void>;
}

interface Options {
  /** With fsync, for tests that kill processes. Default false: quick, and lost with the machine. */
  readonly durable?: boolean;
  readonly settings?: Readonly<Record<string, string>>;
}

/** SQLSTATE of `drop database` while others are connected. */
const OBJECT_IN_USE = '55006';
const clusters = path.join(os.tmpdir(), `kibble-test-${process.getuid?.() ?? ''}`);

/** A throw-away Postgres of its own. Servers whose test run was killed are stopped and removed on the way. */
export const startPostgres = async ({ durable = false, settings = {} }: Options = {}): Promise<PostgresServer> => {
  await removeOrphans();
  const dataDir = mkdtempSync(path.join(clusters, `${process.pid}-`));
  const start = (port: string | undefined) =>
    startEmbedded({ dataDir, isDurable: durable, settings: { ...settings, ...(port && { port }) } });
  let postgres = await start(undefined);
  return {
    url: postgres.url,
    stop: async () => {
      await postgres.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
    kill: async () => {
      const { pid } = runningPostmaster(path.join(dataDir, 'postgres')) ?? {};
      if (pid === undefined) return;
      process.kill(pid, 'SIGKILL');
      while (isAlive(pid)) await nextLook();
    },
    restart: async () => {
      postgres = await start(new URL(postgres.url).port);
    },
  };
};

export interface Database {
  readonly url: string;
  drop(): Promise<void>;
}

/** An empty database (or a copy of `template`, to which nobody may be connected) on the server of `url`; about 30 ms. */
export const createDatabase = async (url: string, template = 'template0'): Promise<Database> => {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await onServer(url, `create database ${name} template ${template} strategy file_copy`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  return { url: own.href, drop: () => drop(url, name) };
};

/**
 * A pool's `end()` resolves before its connections are closed, and one that is ended by force just then throws where no
 * test can catch it. Postgres itself waits up to 5 s for them; what is connected after that was left open.
 */
const drop = async (url: string, name: string): Promise<void> => {
  try {
    await onServer(url, `drop database if exists ${name}`);
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== OBJECT_IN_USE) throw error;
    await onServer(url, `drop database if exists ${name} with (force)`);
  }
};

const onServer = async (url: string, statement: string): Promise<void> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
};

const removeOrphans = async (): Promise<void> => {
  mkdirSync(clusters, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(clusters)) {
    if (isAlive(Number(name.split('-')[0]))) continue;
    const dataDir = path.join(clusters, name);
    const clusterDir = path.join(dataDir, 'postgres');
    const running = runningPostmaster(clusterDir);
    if (running !== undefined) await stopPostmaster(clusterDir, running);
    rmSync(dataDir, { recursive: true, force: true });
  }
};
