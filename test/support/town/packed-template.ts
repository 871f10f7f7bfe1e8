import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { lockedIn, npm, root, run } from './packed-town.ts';

/** test/e2e/template, a game with the layout of Colyseus' template, with the changes of docs/template.md and the package. */
export interface PackedTemplate {
  readonly folder: string;
  /** Runs a file of it, as PM2 does; resolves with the process when it has sent `ready`. */
  start(file: string, env: Readonly<Record<string, string>>): Promise<ChildProcess>;
  remove(): void;
}

export const packTemplate = async (tarball: string): Promise<PackedTemplate> => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-template-'));
  // Started by root, `kibble dev-database` runs as another account.
  chmodSync(folder, 0o755);
  cpSync(path.join(root, 'test/e2e/template'), folder, { recursive: true });
  cpSync(path.join(root, 'test/support/orms/prisma-client.ts'), path.join(folder, 'test/prisma-client.ts'));
  const page = readFileSync(path.join(root, 'docs/template.md'), 'utf8');
  const changes = [...page.matchAll(/```diff\n([\s\S]*?)```/g)].map(([, change]) => change).join('');
  writeFileSync(path.join(folder, 'page.diff'), changes);
  await run('git', ['apply', '--whitespace=error', 'page.diff'], { cwd: folder });
  const manifest = path.join(folder, 'package.json');
  const game = lockedIn(JSON.parse(readFileSync(manifest, 'utf8')), {
    dependencies: { 'colyseus-kibble': `file:${tarball}`, pg: '*' },
    devDependencies: { '@types/pg': '*', '@types/node': '*' },
  });
  writeFileSync(manifest, JSON.stringify(game));
  const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  await run(npm, ['install', ...quiet], { cwd: folder });
  const children: ChildProcess[] = [];
  return {
    folder,
    start: async (file, env) => {
      const child = spawn(process.execPath, ['--import', 'tsx', file], {
        cwd: folder,
        env: { PATH: process.env.PATH, ...env },
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      children.push(child);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      child.on('message', (message) => message === 'ready' && resolve());
      child.once('exit', (code) => reject(new Error(`${file} ended with ${code} before it was ready`)));
      await promise;
      return child;
    },
    remove: () => {
      for (const child of children) child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
