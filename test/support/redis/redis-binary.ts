import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fetchPackages } from '../machine/debian-release.ts';

/** A Redis (or Valkey) server program, and the environment it needs to find its libraries. */
export interface RedisBinary {
  readonly program: string;
  /** Arguments that stand before those of the server. */
  readonly before?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

const cacheDir = path.resolve(import.meta.dirname, '../../../node_modules/.cache/kibble/redis');
const programs = ['valkey-server', 'redis-server'];

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
  const reason = fetchPackages(cacheDir, packages, libraries);
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
