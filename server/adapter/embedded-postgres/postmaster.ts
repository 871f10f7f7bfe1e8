import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, readlinkSync, realpathSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from './embedded-account.ts';
import type { Binaries } from './embedded-binaries.ts';
import { cleanEnvironment, clusterUser, folderArgument } from './embedded-cluster.ts';
import { EmbeddedError } from './embedded-error.ts';

/** A Postgres server process on one data folder. Its own file `postmaster.pid` is what is known about it. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
}

/** Pid, folder, start time, port and the socket's folder: what Postgres writes at once when it claims the folder. */
const PID_FILE_LINES = 5;
const pollMs = 10;
const stopTimeoutMs = 30_000;
const maxLogBytes = 10_000_000;

/**
 * The postmaster that serves this folder now, if any: it outlives a killed parent. A pid file whose process is
 * dead, or is something else by now, is removed; Postgres itself would take the stranger for a server and refuse.
 */
export const runningPostmaster = (clusterDir: string): Postmaster | undefined => {
  const file = path.join(clusterDir, 'postmaster.pid');
  const lines = readIfThere(file)?.split('\n');
  // An unfinished one is being written: without it the Postgres that has claimed the folder ends.
  if (lines === undefined || lines.length < PID_FILE_LINES) return undefined;
  const pid = Number(lines[0]);
  if (!isServing(pid, clusterDir)) {
    rmSync(file, { force: true });
    return undefined;
  }
  return { pid, port: Number(lines[3]) };
};

/** Removes a pid file that was never finished, as after a loss of power: no Postgres starts beside it. */
export const removeUnfinishedPidFile = (clusterDir: string): void => {
  const file = path.join(clusterDir, 'postmaster.pid');
  const lines = readIfThere(file)?.split('\n');
  if (lines !== undefined && lines.length < PID_FILE_LINES) rmSync(file, { force: true });
};

/** Starts a postmaster on a free loopback port, or on that of the settings. It may not accept connections yet, and it outlives this process. */
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
  // In a group of its own: Ctrl-C must reach the game server first, which then stops Postgres as the last thing.
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

/** Fast shutdown: sessions are ended, everything is on disk. Resolves when the process has let go of the folder. */
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

/** Waits a little before something outside is looked at again. No rule of the game depends on it. */
export const nextLook = (): Promise<void> => sleep(pollMs);

export const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};

/** Ids are used again after a restart of the machine or container, so on Linux the folder is compared as well. */
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
  // Faults of statements reach their caller; the file keeps what concerns the server, and stays small.
  log_min_messages: 'log',
  log_checkpoints: 'off',
};

/**
 * Free a moment ago: the one that is wanted, which else is an error of the system, or any. Another process may take it before
 * Postgres does: then Postgres ends and is started again.
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

/** Of the embedded Postgres that a server runs on this folder, for a tool beside it. Undefined when none runs. */
export const embeddedUrl = (dataDir: string): string | undefined => {
  const running = runningPostmaster(path.join(dataDir, 'postgres'));
  const password = path.join(dataDir, 'postgres-password');
  if (running === undefined || !existsSync(password)) return undefined;
  return `postgres://${clusterUser}:${readFileSync(password, 'utf8').trim()}@127.0.0.1:${running.port}/${clusterUser}`;
};
