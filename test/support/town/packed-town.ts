import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import manifest from '../../../package.json' with { type: 'json' };
import lock from '../../../package-lock.json' with { type: 'json' };

export const run = promisify(execFile);
export const root = path.join(import.meta.dirname, '../../..');
export const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

/** examples/town in a folder of its own, with the packed package installed into it. */
export interface PackedTown {
  readonly folder: string;
  /** The packed files. */
  readonly built: string;
  readonly tarball: string;
  npmInstall(...names: readonly string[]): Promise<unknown>;
  /** Runs a file of it; resolves with the process when it has said `ready`. */
  start(file: string, env: Readonly<Record<string, string>>): Promise<ChildProcess>;
  remove(): void;
}

type Names = Readonly<Record<string, string>>;

interface Manifest {
  readonly dependencies?: Names;
  readonly devDependencies?: Names;
}

/** In the versions of the lock: what the clone was tried with, and what its `npm ci` has fetched. Others stay as they are. */
const locked = (names: Names): Names => {
  const packages: Readonly<Record<string, { readonly version?: string }>> = lock.packages;
  return Object.fromEntries(
    Object.entries(names).map(([name, range]) => [name, packages[`node_modules/${name}`]?.version ?? range]),
  );
};

/** A game's manifest with some packages more. */
export const lockedIn = (own: Manifest, more: Manifest): object => ({
  ...own,
  dependencies: locked({ ...own.dependencies, ...more.dependencies }),
  devDependencies: locked({ ...own.devDependencies, ...more.devDependencies }),
  overrides: { ...manifest.overrides, ...locked(manifest.dependencies) },
});

export const packTown = async (): Promise<PackedTown> => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-town-'));
  const built = path.join(folder, 'built');
  await run(process.execPath, ['build/package.ts', built], { cwd: root });
  await run(npm, ['pack', built, '--pack-destination', folder]);
  const tarball = path.join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '');
  cpSync(path.join(root, 'examples/town'), folder, { recursive: true });
  cpSync(path.join(root, 'test/e2e/foreign'), folder, { recursive: true });
  const own = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest;
  // The compiler is the clone's.
  const { typescript: _, ...devDependencies } = own.devDependencies ?? {};
  const town = lockedIn({ ...own, devDependencies }, { dependencies: { 'colyseus-kibble': `file:${tarball}` } });
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(town));
  const npmInstall = (...names: readonly string[]) => {
    const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
    return run(npm, ['install', ...quiet, ...names], { cwd: folder });
  };
  await npmInstall();
  const children: ChildProcess[] = [];
  return {
    folder,
    built,
    tarball,
    npmInstall,
    start: async (file, env) => {
      const args = ['--disable-warning=ExperimentalWarning', path.join(folder, file)];
      const child = spawn(process.execPath, args, {
        cwd: folder,
        env: { PATH: process.env.PATH, ...env },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      children.push(child);
      await said(child, 'ready');
      return child;
    },
    remove: () => {
      for (const child of children) child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

/** Throws when the process ends before it says so. */
export const said = async (child: ChildProcess, wanted: string): Promise<void> => {
  if (!child.stdout) throw new Error('no output to read');
  for await (const line of createInterface({ input: child.stdout })) if (line === wanted) return;
  throw new Error(`the process ended before it said ${wanted}`);
};

// Servers here start again on their port.
export { freePort } from '../redis/redis-server.ts';
