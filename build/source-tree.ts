import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';

/** The folders that are shipped and run: other changes do not affect a proof. */
const folders = ['server', 'shared', 'client'] as const;

/**
 * A short hash of `server`, `shared` and `client`, equal for all commits that do not change them. Undefined: they have
 * uncommitted changes, or this is no clone.
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
