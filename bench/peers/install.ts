import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const folder = import.meta.dirname;
const stampFile = path.join(folder, 'node_modules/.kibble-install');

/** The products that are measured, as their lock file has them; once. They are no dependency of the project itself. */
export const installProducts = (say: (text: string) => void): void => {
  const wanted = createHash('sha256')
    .update(readFileSync(path.join(folder, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted) return;
  say('installing the peers (once, less than a minute) ...');
  // Started by npm, its own program is known. Without install scripts nothing of a product runs here.
  const npmProgram = process.env.npm_execpath ?? '';
  const isNpm = /npm-cli\.c?js$/.test(npmProgram);
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, stderr, error } = spawnSync(isNpm ? process.execPath : 'npm', isNpm ? [npmProgram, ...args] : args, {
    cwd: folder,
    encoding: 'utf8',
    shell: !isNpm && process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`npm ci in bench/peers ended with ${status}: ${error?.message ?? stderr}`);
  writeFileSync(stampFile, wanted);
};
