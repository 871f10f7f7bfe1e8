import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';

const fetchTimeoutMs = 60_000;

/**
 * Unpacks packages of the Debian or Ubuntu archive into a folder, without root and without touching the system; of
 * `optional` ones those that this release has. Answers what went wrong; the caller looks for itself whether it went right.
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
    spawnSync(program, [...settings, '-q', ...args], { cwd: draft, timeout: fetchTimeoutMs, encoding: 'utf8' });
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
