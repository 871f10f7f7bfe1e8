import { readFileSync, statSync } from 'node:fs';
import { EmbeddedError } from './embedded-error.ts';

/** The account that Postgres runs as; absent if it is the account of this process. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Postgres refuses to run as root. For root, returns the account to run it as: the owner of an existing cluster, else
 * `postgres`, else `nobody`. For any other user: undefined, no change of account.
 */
export const accountFor = (clusterDir: string): Account | undefined => {
  const owner = statSync(clusterDir, { throwIfNoEntry: false });
  const ownUid = process.getuid?.();
  if (ownUid !== 0) {
    if (owner !== undefined && ownUid !== undefined && owner.uid !== ownUid) {
      throw new EmbeddedError(
        'embedded/not-writable',
        `${clusterDir} belongs to user id ${owner.uid}, and this process runs as ${ownUid}: start as the user who made it, or set DATA_DIR to another folder.`,
      );
    }
    return undefined;
  }
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const account = namedAccount('postgres') ?? namedAccount('nobody');
  if (account !== undefined) return account;
  throw new EmbeddedError(
    'embedded/no-user',
    'Postgres does not run as root, and there is no account postgres or nobody: start as another user, or give a Postgres of yours (pool, DATABASE_URL).',
  );
};

const namedAccount = (name: string): Account | undefined => {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((candidate) => candidate.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  // initdb looks its account up by uid; uid 0 or -2 (macOS) is not an unprivileged account.
  return Number(uid) > 0 && Number(gid) > 0 ? { uid: Number(uid), gid: Number(gid) } : undefined;
};
