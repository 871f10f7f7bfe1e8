import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Installs a folder's package from its lock file, once: its dependencies do not belong to the project. `what` names it
 * for the reader.
 */
export const installOwnPackage = (folder: string, what: string, say: (text: string) => void): void => {
  const stampFile = path.join(folder, 'node_modules/.kibble-install');
  const wanted = createHash('sha256')
    .update(readFileSync(path.join(folder, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted) return;
  say(`installing ${what} (once, less than a minute) ...`);
  // If npm started this process, its program is known. Install scripts are off, so no package's code runs here.
  const npmProgram = process.env.npm_execpath ?? '';
  const isNpm = /npm-cli\.c?js$/.test(npmProgram);
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, stderr, error } = spawnSync(isNpm ? process.execPath : 'npm', isNpm ? [npmProgram, ...args] : args, {
    cwd: folder,
    encoding: 'utf8',
    shell: !isNpm && process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`npm ci in ${folder} ended with ${status}: ${error?.message ?? stderr}`);
  writeFileSync(stampFile, wanted);
};
