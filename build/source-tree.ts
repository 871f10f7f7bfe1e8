import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';

/** What is shipped and runs: a change elsewhere leaves a proof as true as it was. */
const folders = ['server', 'shared', 'client'] as const;

/**
 * A short name of what `server`, `shared` and `client` hold, the same for every commit that left them alone. Undefined: they
 * are changed beside the commit, or this is no clone.
 */
export const sourceTree = (root: string): string | undefined => {
  const git = (...args: string[]): string | undefined => {
    const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
    return status === 0 ? stdout : undefined;
  };
  if (git('status', '--porcelain', '--', ...folders) !== '') return undefined;
  const hashes = git('rev-parse', ...folders.map((folder) => `HEAD:${folder}`));
  return hashes === undefined ? undefined : createHash('sha1').update(hashes).digest('hex').slice(0, 10);
};
