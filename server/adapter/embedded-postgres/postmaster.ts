import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, readlinkSync, realpathSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from './embedded-account.ts';
import type { Binaries } from './embedded-binaries.ts';
import { cleanEnvironment, clusterUser, folderArgument } from './embedded-cluster.ts';
import { EmbeddedError } from './embedded-error.ts';

/** A Postgres server process on one data folder, known from its file `postmaster.pid`. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
}

/** Pid, folder, start time, port and socket folder: Postgres writes these at once when it claims the folder. */
const PID_FILE_LINES = 5;
const pollMs = 10;
const stopTimeoutMs = 30_000;
const maxLogBytes = 10_000_000;

/**
 * The postmaster that serves this folder now, if any: it outlives a killed parent. A pid file of a dead process or of
 * another program is removed: Postgres would take that program for a server and refuse.
 */
export const runningPostmaster = (clusterDir: string): Postmaster | undefined => {
  const file = path.join(clusterDir, 'postmaster.pid');
  const lines = readIfThere(file)?.split('\n');
  // An unfinished file is being written: if it were removed, the Postgres that claimed the folder would end.
  if (lines === undefined || lines.length < PID_FILE_LINES) return undefined;
  const pid = Number(lines[0]);
  if (!isServing(pid, clusterDir)) {
    rmSync(file, { force: true });
    return undefined;
  }
  return { pid, port: Number(lines[3]) };
};

/** Removes a pid file that was never finished, as after a power loss: Postgres does not start beside it. */
export const removeUnfinishedPidFile = (clusterDir: string): void => {
  const file = path.join(clusterDir, 'postmaster.pid');
  const lines = readIfThere(file)?.split('\n');
  if (lines !== undefined && lines.length < PID_FILE_LINES) rmSync(file, { force: true });
};

/** Starts a postmaster on a free loopback port, or that of the settings. It is not ready yet, and outlives this process. */
export const startPostmaster = async (server: {
  readonly clusterDir: string;
  readonly logFile: string;
  readonly binaries: Binaries;
  readonly account: Account | undefined;
  readonly settings: Readonly<Record<string, string>>;
}): Promise<Postmaster> => {
  const { clusterDir, logFile, binaries, account } = server;
  const port = Number(server.settings.port ?? (await freePort()));
  const settings = Object.entries({ ...baseSettings, ...server.settings, port: String(port) });
  const isLogLarge = (statSync(logFile, { throwIfNoEntry: false })?.size ?? 0) > maxLogBytes;
  const log = openSync(logFile, isLogLarge ? 'w' : 'a', 0o600);
  // Its own group: Ctrl-C must reach only the game server, which stops Postgres last.
  const child = spawn(
    binaries.postgres,
    ['-D', folderArgument(clusterDir, account), ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { ...account, cwd: clusterDir, env: cleanEnvironment, detached: true, stdio: ['ignore', log, log] },
  );
  child.unref();
  closeSync(log);
  const pid = await new Promise<number>((resolve, reject) => {
    child.on('spawn', () => resolve(child.pid ?? 0));
    child.on('error', (cause) =>
      reject(new EmbeddedError('embedded/failed', `Postgres did not start: ${cause.message}`, cause)),
    );
  });
  return { pid, port };
};

/** Fast shutdown: ends sessions and writes all data to disk. Resolves when the process has released the folder. */
export const stopPostmaster = async (clusterDir: string, { pid }: Postmaster): Promise<void> => {
  const isStopped = (): boolean => readIfThere(path.join(clusterDir, 'postmaster.pid')) === undefined || !isAlive(pid);
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    if (isStopped()) return;
    process.kill(pid, signal);
    for (let waitedMs = 0; waitedMs < stopTimeoutMs; waitedMs += pollMs) {
      if (isStopped()) return;
      await sleep(pollMs);
    }
  }
  throw new EmbeddedError('embedded/failed', `Postgres (process ${pid}) did not stop.`);
};

/** Waits a little before the next poll of the system. No rule of the game depends on it. */
export const nextLook = (): Promise<void> => sleep(pollMs);

export const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};

/** Process ids are reused after a restart of the machine or container, so on Linux the folder is compared too. */
const isServing = (pid: number, clusterDir: string): boolean => {
  if (!(pid > 1) || !isAlive(pid)) return false;
  if (process.platform !== 'linux') return true;
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(clusterDir);
  } catch {
    return false;
  }
};

const baseSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  shared_buffers: '128MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Callers get the errors of statements; the log has only what concerns the server, and stays small.
  log_min_messages: 'log',
  log_checkpoints: 'off',
};

/**
 * A port that was free a moment ago: the wanted one, else any; throws the system's error if the wanted one is taken. If
 * another process takes it before Postgres does, Postgres ends and is started again.
 */
export const freePort = (wanted = 0): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on('error', reject);
    probe.listen(wanted, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });

const readIfThere = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
};

/** The URL of the embedded Postgres that a server runs on this folder, for a tool beside it. Undefined if none runs. */
export const embeddedUrl = (dataDir: string): string | undefined => {
  const running = runningPostmaster(path.join(dataDir, 'postgres'));
  const password = path.join(dataDir, 'postgres-password');
  if (running === undefined || !existsSync(password)) return undefined;
  return `postgres://${clusterUser}:${readFileSync(password, 'utf8').trim()}@127.0.0.1:${running.port}/${clusterUser}`;
};
