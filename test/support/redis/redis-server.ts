import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { debianRelease } from '../machine/debian-release.ts';
import { type RedisBinary, redisBinary } from './redis-binary.ts';

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Where it keeps its files. */
  readonly dir: string;
  /** Ends the process and removes its folder. */
  stop(): Promise<void>;
  /** SIGKILL, as a crash; the folder stays until `stop`. Resolves when the process is gone. */
  kill(): Promise<void>;
  /** Starts again on the same port and folder, after `kill`. */
  restart(): Promise<void>;
}

interface Options {
  /** Keeps every write across `kill` and `restart`. Default false: nothing is kept. */
  readonly appendonly?: boolean;
  /** Default: a free one. */
  readonly port?: number;
  /** The content of its settings file. Default: no file. */
  readonly config?: string;
  /** Default: that of all tests, Redis 7. */
  readonly binary?: RedisBinary | undefined;
  /** More flags of redis-server, such as `['--maxmemory', '8mb']`. */
  readonly flags?: readonly string[];
}

/** A Redis server of its own: own free port, own temporary folder. */
export const startRedis = async (options: Options = {}): Promise<RedisServer> => {
  const { appendonly = false, flags = [], port = await freePort(), config, binary } = options;
  const dir = mkdtempSync(path.join(os.tmpdir(), 'kibble-redis-'));
  const persistence = appendonly ? ['--appendonly', 'yes'] : [];
  const file = config === undefined ? [] : [path.join(dir, 'redis.conf')];
  for (const name of file) writeFileSync(name, config ?? '');
  const own = ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, '--save', ''];
  const args = [...file, ...own, ...persistence, ...flags];
  let child = await launch(args, { dir, port, binary });
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;

  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    if (!isRunning()) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  };
  const endWithUs = (): void => {
    child.kill('SIGKILL');
  };
  process.once('exit', endWithUs);

  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    dir,
    get pid() {
      return child.pid ?? 0;
    },
    stop: async () => {
      process.off('exit', endWithUs);
      await end('SIGTERM');
      rmSync(dir, { recursive: true, force: true });
    },
    kill: () => end('SIGKILL'),
    restart: async () => {
      if (!isRunning()) child = await launch(args, { dir, port, binary });
    },
  };
};

interface Launch {
  readonly dir: string;
  readonly port: number;
  readonly binary: RedisBinary | undefined;
}

const launch = async (args: readonly string[], { dir, port, binary }: Launch): Promise<ChildProcess> => {
  const { program, before = [], environment } = binary ?? redisBinary();
  const logFile = path.join(dir, 'redis.log');
  const log = openSync(logFile, 'a');
  const child = spawn(program, [...before, ...args], {
    cwd: dir,
    stdio: ['ignore', log, log],
    env: { ...process.env, ...environment },
  });
  const failed = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`redis-server ended at once:\n${readFileSync(logFile, 'utf8')}`)));
  });
  await Promise.race([answers(port), failed]);
  return child;
};

/** Resolves with the first PONG; ioredis connects again and again until then. */
const answers = async (port: number): Promise<void> => {
  const client = new Redis({ port, host: '127.0.0.1', retryStrategy: () => 10, maxRetriesPerRequest: null });
  client.on('error', () => {});
  try {
    await client.ping();
  } catch (error) {
    // It answers, and wants a password.
    if (!(error instanceof Error && error.message.startsWith('NOAUTH'))) throw error;
  } finally {
    client.disconnect();
  }
};

/** Below the ports that a system gives to outgoing connections: one of those could take the port of a server that restarts. */
const PORTS = { from: 10_000, to: 32_000 } as const;
const MOST_TRIES = 100;

/** A port of 127.0.0.1 without a listener, which stays free while the server on it is down. */
export const freePort = async (): Promise<number> => {
  for (let left = MOST_TRIES; left > 0; left -= 1) {
    const port = randomInt(PORTS.from, PORTS.to);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port was found in ${MOST_TRIES} tries`);
};

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });

const cache = path.resolve(import.meta.dirname, '../../../node_modules/.cache/kibble');

/** Servers that speak as Redis does and that Debian has, besides the Redis 7 of the other tests. */
export const flavours = {
  'Redis 8.0': { program: 'redis-server', ...debian('trixie', ['redis-server', 'valkey-server']) },
  'Valkey 8.1': { program: 'valkey-server', ...debian('trixie', ['redis-server', 'valkey-server']) },
  'Redict 7.3': { program: 'redict-server', ...debian('bookworm-backports', ['redict-server'], 'bookworm') },
} as const;

function debian(suite: string, packages: readonly string[], ...more: readonly string[]) {
  return { release: () => debianRelease(path.join(cache, `redis-${suite}`), [suite, ...more], packages) };
}

/** The server program of a flavour, fetched once, or why it cannot be had here. */
export const foundFlavour = (
  name: keyof typeof flavours,
): { readonly binary?: RedisBinary; readonly reason?: string } => {
  const { program, release } = flavours[name];
  try {
    const [loader, ...before] = release().command(program);
    return { binary: { program: loader, before, environment: {} } };
  } catch (error) {
    return { reason: String(error) };
  }
};
