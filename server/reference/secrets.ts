import { randomBytes } from 'node:crypto';
import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { writeOnceFile } from '../adapter/machine/write-once-file.ts';
import type { Config } from '../settings/config.ts';

export interface Secrets {
  /** Undefined: no guests and no HS tokens; players bring tokens of `config.jwksUrl`. */
  readonly jwtSecret: string | undefined;
  readonly opsTokens: Config['opsTokens'];
  /** The file with the operator's token, if it was made here. */
  readonly opsTokenFile: string | undefined;
}

/**
 * The secrets in force. Without an own database of the operator, missing secrets are made once and stored under
 * `dataDir`, readable by this user only. Otherwise `readConfig` has checked that they are set. Throws the errors of the
 * file system.
 */
export const loadSecrets = (config: Config): Secrets => {
  const { jwtSecret, opsTokens, databaseUrl, redisUrls } = config;
  if (databaseUrl !== undefined || redisUrls !== undefined) return { jwtSecret, opsTokens, opsTokenFile: undefined };
  const dataDir = path.resolve(config.dataDir);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const kept = (name: string): string => readKept(path.join(dataDir, name));
  const isTokenOwn = opsTokens.length === 0;
  return {
    jwtSecret: jwtSecret ?? kept('jwt-secret'),
    opsTokens: isTokenOwn ? [{ name: 'operator', role: 'admin', token: kept('operator-token') }] : opsTokens,
    opsTokenFile: isTokenOwn ? path.join(dataDir, 'operator-token') : undefined,
  };
};

/** The file of a secret is empty, or other users can read it. */
export class SecretUnsafe extends Error {
  constructor(file: string, fault: string) {
    super(`${file} ${fault}: delete it, and a new one is made at the next start`);
    this.name = 'SecretUnsafe';
  }
}

const readKept = (file: string): string => {
  const secret = writeOnceFile(file, () => randomBytes(32).toString('hex'));
  if (!/^[\da-f]{64}$/.test(secret)) throw new SecretUnsafe(file, 'is not what was written into it');
  // Windows has no such permission bits.
  const isShared = process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0;
  if (isShared) throw new SecretUnsafe(file, 'can be read by other users of this machine');
  return secret;
};
