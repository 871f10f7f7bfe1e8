import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Account } from './embedded-account.ts';
import type { Binaries } from './embedded-binaries.ts';
import { EmbeddedError } from './embedded-error.ts';

/** The superuser of the cluster, and the owner of the database of the same name. */
export const clusterUser = 'kibble';

/**
 * The folder as a Postgres argument. Root passes the folder as the working directory, which is entered before the
 * account changes. So Postgres can work below folders that its account may not enter, such as /root.
 */
export const folderArgument = (clusterDir: string, account: Account | undefined): string =>
  account !== undefined && process.platform === 'linux' ? '/proc/self/cwd' : clusterDir;

/**
 * Postgres gets none of the caller's PG* and locale settings. Sessions keep freed memory: otherwise glibc returns it to
 * the system after each transaction over 128 kB, and the page faults of the next one halve the rate.
 */
export const cleanEnvironment = {
  LC_ALL: 'C',
  PATH: '/usr/bin:/bin',
  MALLOC_TRIM_THRESHOLD_: `${64 * 2 ** 20}`,
  MALLOC_TOP_PAD_: `${2 ** 20}`,
};

/**
 * Makes the cluster if there is none: beside its place, then renamed. So a process that is killed in between leaves
 * nothing half done, and of two processes the second uses the first one's cluster.
 */
export const ensureCluster = (cluster: {
  readonly clusterDir: string;
  readonly binaries: Binaries;
  readonly account: Account | undefined;
  readonly password: string;
  readonly isDurable: boolean;
}): void => {
  const { clusterDir, binaries, account } = cluster;
  if (!existsSync(clusterDir)) {
    const draft = mkdtempSync(`${clusterDir}.`);
    if (account !== undefined) chownSync(draft, account.uid, account.gid);
    try {
      initialize(draft, cluster);
      renameSync(draft, clusterDir);
    } catch (error) {
      if (!existsSync(clusterDir)) throw error;
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  }
  const major = readFileSync(path.join(clusterDir, 'PG_VERSION'), 'utf8').trim();
  if (major !== binaries.major) {
    throw new EmbeddedError(
      'embedded/version',
      `${clusterDir} was written by Postgres ${major}, and this Kibble brings ${binaries.major}: dump it with the older Kibble and load it here, or set DATA_DIR to a new folder.`,
    );
  }
};

type New = Parameters<typeof ensureCluster>[0];

const initialize = (draft: string, { binaries, account, password, isDurable }: New): void => {
  // initdb reads the password from a file under its own account, which cannot read DATA_DIR or a pipe of this process.
  const passwordDir = mkdtempSync(path.join(os.tmpdir(), 'kibble-'));
  const passwordFile = path.join(passwordDir, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (account !== undefined) {
    chownSync(passwordFile, account.uid, account.gid);
    chownSync(passwordDir, account.uid, account.gid);
  }
  const flags = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const access = [`--username=${clusterUser}`, `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
  const { status, stderr, error } = spawnSync(
    binaries.initdb,
    [
      '-D',
      folderArgument(draft, account),
      ...flags,
      ...access,
      '--no-instructions',
      ...(isDurable ? [] : ['--no-sync']),
    ],
    { ...account, cwd: draft, env: cleanEnvironment, encoding: 'utf8' },
  );
  rmSync(passwordDir, { recursive: true, force: true });
  if (status !== 0) {
    const said = (error?.message ?? stderr).trim().split('\n').at(-1);
    throw new EmbeddedError('embedded/failed', `initdb could not make ${draft}: ${said}`, error);
  }
};
