import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const fetchTimeoutMs = 120_000;
const aptTimeoutMs = 60_000;
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const SOURCES = ['/etc/apt/sources.list.d/debian.sources', '/etc/apt/sources.list'];

/** Programs of another release of Debian than the machine's, unpacked with all that they need, their C library too. */
export interface DebianRelease {
  /** The command of a program in the folder: the loader of its own C library, then the program. */
  command(program: string): readonly [loader: string, ...args: string[]];
}

/**
 * Unpacks packages of a release (`trixie`) into a folder, once, without root and without touching the system. Throws an Error
 * where the machine's sources name no Debian, or it cannot be reached.
 */
export const debianRelease = (dir: string, suites: readonly string[], packages: readonly string[]): DebianRelease => {
  if (!existsSync(dir)) fetchRelease(dir, suites, packages);
  // Some releases have libraries in both.
  const libraries = globSync('{usr/,}lib/*-linux-gnu', { cwd: dir }).map((one) => path.join(dir, one));
  const loader = libraries.flatMap((one) => globSync(path.join(one, 'ld-linux*.so.*'))).at(0);
  if (loader === undefined) throw new Error(`${dir} has no loader of a C library`);
  return { command: (program) => [loader, '--library-path', libraries.join(':'), path.join(dir, 'usr/bin', program)] };
};

/** All that the packages need is downloaded, as for a system on which nothing is installed. */
const fetchRelease = (dir: string, suites: readonly string[], packages: readonly string[]): void => {
  const draft = `${dir}.${process.pid}`;
  for (const part of ['lists/partial', 'archives/partial', 'root'])
    mkdirSync(path.join(draft, part), { recursive: true });
  const archive = archiveOfMachine();
  writeFileSync(path.join(draft, 'status'), '');
  writeFileSync(
    path.join(draft, 'sources.list'),
    suites.map((suite) => `deb [signed-by=${KEYRING}] ${archive} ${suite} main\n`).join(''),
  );
  const settings = [
    `Dir::Etc::sourcelist=${draft}/sources.list`,
    'Dir::Etc::sourceparts=/dev/null',
    'Dir::Etc::preferencesparts=/dev/null',
    `Dir::State=${draft}`,
    `Dir::State::status=${draft}/status`,
    `Dir::Cache=${draft}`,
    `APT::Default-Release=${suites[0]}`,
    'APT::Sandbox::User=',
    'Acquire::Languages=none',
    'Acquire::Retries=2',
  ].flatMap((setting) => ['-o', setting]);
  const run = (program: string, ...args: readonly string[]): void => {
    const { status, error, stderr } = spawnSync(program, args, { timeout: fetchTimeoutMs, encoding: 'utf8' });
    if (status !== 0)
      throw new Error(`${program} ${args.at(-1)}: ${error?.message ?? stderr?.trim().split('\n').at(-1)}`);
  };
  try {
    run('apt-get', ...settings, '-q', 'update');
    run('apt-get', ...settings, '-qy', '--no-install-recommends', '--download-only', 'install', ...packages);
    const files = readdirSync(path.join(draft, 'archives')).filter((name) => name.endsWith('.deb'));
    for (const file of files) run('dpkg', '-x', path.join(draft, 'archives', file), path.join(draft, 'root'));
    // Another process may have been quicker.
    if (!existsSync(dir)) renameSync(path.join(draft, 'root'), dir);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
};

/** Where the machine itself gets Debian's packages from. */
const archiveOfMachine = (): string => {
  const texts = SOURCES.filter((file) => existsSync(file)).map((file) => readFileSync(file, 'utf8'));
  const [, archive] = /(?:^URIs:|^deb(?: \[[^\]]*\])?) (\S+\/debian\/?)(?:\s|$)/m.exec(texts.join('\n')) ?? [];
  if (archive === undefined || !existsSync(KEYRING)) throw new Error('the sources of this machine name no Debian');
  return archive;
};

/**
 * Unpacks packages of the Debian or Ubuntu archive into a folder, without root and without touching the system; of
 * `optional` ones those that this release has. Returns the errors; the caller checks whether the packages are there.
 */
export const fetchPackages = (dir: string, packages: readonly string[], optional: readonly string[] = []): string => {
  const draft = `${dir}.${process.pid}`;
  const state = path.join(draft, 'apt');
  for (const part of ['state/lists/partial', 'cache/archives/partial'])
    mkdirSync(path.join(state, part), { recursive: true });
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
    spawnSync(program, [...settings, '-q', ...args], { cwd: draft, timeout: aptTimeoutMs, encoding: 'utf8' });
  try {
    const update = apt('apt-get', 'update');
    if (update.status !== 0) return `apt-get update: ${update.error?.message ?? lastLine(update.stderr)}`;
    const available = optional.filter((name) => apt('apt-cache', 'show', '--no-all-versions', name).status === 0);
    const download = apt('apt-get', 'download', ...packages, ...available);
    if (download.status !== 0) return `apt-get download: ${lastLine(download.stderr)}`;
    for (const file of readdirSync(draft).filter((name) => name.endsWith('.deb'))) {
      const unpack = spawnSync('dpkg', ['-x', file, '.'], { cwd: draft, encoding: 'utf8' });
      if (unpack.status !== 0) return `dpkg -x: ${unpack.error?.message ?? lastLine(unpack.stderr)}`;
      rmSync(path.join(draft, file));
    }
    rmSync(state, { recursive: true });
    rmSync(dir, { recursive: true, force: true });
    renameSync(draft, dir);
    return 'the fetched one does not run here';
  } catch (error) {
    return String(error);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
};

const lastLine = (text: string | null): string => text?.trim().split('\n').at(-1) ?? 'no answer';
