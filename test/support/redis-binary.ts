import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';

/** A Redis (or Valkey) server program, and the environment it needs to find its libraries. */
export interface RedisBinary {
  readonly program: string;
  readonly environment: Readonly<Record<string, string>>;
}

const cacheDir = path.resolve(import.meta.dirname, '../../node_modules/.cache/kibble/redis');
const programs = ['valkey-server', 'redis-server'];
const fetchTimeoutMs = 60_000;

/** Packages of Debian and Ubuntu: the server, and the libraries that some releases need and others do not have. */
const packages = ['redis-server', 'redis-tools'];
const libraries = [
  'libjemalloc2',
  'liblzf1',
  'libatomic1',
  'libssl3',
  'libssl3t64',
  'liblua5.1-0',
  'lua-bitop',
  'lua-cjson',
];

const waysToGetOne =
  'install Redis 7 or newer, or Valkey (brew install redis; apt install redis-server; docker is not needed)';

/**
 * Finds a server program >= 7: in the cache folder, on the PATH, or fetched once from the Debian or Ubuntu archive into
 * the cache folder, without root and without touching the system. Throws an Error naming the ways to get one.
 */
export const redisBinary = (): RedisBinary => {
  const found = [inFolder(cacheDir), ...programs.map(onPath)].find(isUsable);
  if (found !== undefined) return found;
  const reason = fetchIntoCache();
  const fetched = inFolder(cacheDir);
  if (isUsable(fetched)) return fetched;
  throw new Error(`No Redis server for the tests (${reason}): ${waysToGetOne}.`);
};

const onPath = (program: string): RedisBinary => ({ program, environment: {} });

const inFolder = (dir: string): RedisBinary => {
  const libraryDirs = ['usr/lib', 'lib'].flatMap((part) => subfolders(path.join(dir, part)));
  return {
    program: path.join(dir, 'usr/bin/redis-server'),
    environment: { LD_LIBRARY_PATH: libraryDirs.join(':') },
  };
};

const subfolders = (dir: string): readonly string[] =>
  existsSync(dir) ? [dir, ...readdirSync(dir).map((name) => path.join(dir, name))] : [];

const isUsable = (binary: RedisBinary | undefined): binary is RedisBinary => {
  if (binary === undefined) return false;
  const { stdout, status } = spawnSync(binary.program, ['--version'], {
    env: { ...process.env, ...binary.environment },
    encoding: 'utf8',
  });
  return status === 0 && Number(/v=(\d+)/.exec(stdout)?.[1]) >= 7;
};

/** Answers what went wrong; the caller looks for itself whether it went right. */
const fetchIntoCache = (): string => {
  const draft = `${cacheDir}.${process.pid}`;
  const state = path.join(draft, 'apt');
  for (const dir of ['state/lists/partial', 'cache/archives/partial'])
    mkdirSync(path.join(state, dir), { recursive: true });
  // Everything apt writes is redirected; what it reads (sources, keys) is the system's. As root it would change to a
  // user that cannot write here.
  const settings = [
    `Dir::State=${state}/state`,
    `Dir::Cache=${state}/cache`,
    'Dir::State::status=/var/lib/dpkg/status',
    'APT::Sandbox::User=',
    'Acquire::Languages=none',
    'Acquire::Retries=2',
  ].flatMap((setting) => ['-o', setting]);
  const apt = (program: string, ...args: string[]) =>
    spawnSync(program, [...settings, '-q', ...args], { cwd: draft, timeout: fetchTimeoutMs, encoding: 'utf8' });
  try {
    const update = apt('apt-get', 'update');
    if (update.status !== 0) return `apt-get update: ${update.error?.message ?? lastLine(update.stderr)}`;
    const available = libraries.filter((name) => apt('apt-cache', 'show', '--no-all-versions', name).status === 0);
    const download = apt('apt-get', 'download', ...packages, ...available);
    if (download.status !== 0) return `apt-get download: ${lastLine(download.stderr)}`;
    for (const file of readdirSync(draft).filter((name) => name.endsWith('.deb'))) {
      const unpack = spawnSync('dpkg', ['-x', file, '.'], { cwd: draft, encoding: 'utf8' });
      if (unpack.status !== 0) return `dpkg -x: ${unpack.error?.message ?? lastLine(unpack.stderr)}`;
      rmSync(path.join(draft, file));
    }
    rmSync(state, { recursive: true });
    rmSync(cacheDir, { recursive: true, force: true });
    renameSync(draft, cacheDir);
    return 'the fetched one does not run here';
  } catch (error) {
    return String(error);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
};

const lastLine = (text: string | null): string => text?.trim().split('\n').at(-1) ?? 'no answer';
