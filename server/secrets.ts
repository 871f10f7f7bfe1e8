import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Config } from './config.ts';
import { keepOnce } from './keep-once.ts';

export interface Secrets {
  /** Undefined: no guests and no HS tokens; players come with tokens of `config.jwksUrl`. */
  readonly jwtSecret: string | undefined;
  readonly opsTokens: Config['opsTokens'];
  /** Where the operator's token was put for him to read, when it was made here. */
  readonly opsTokenFile: string | undefined;
}

/**
 * The secrets in force. Without a database of the operator's own, those he did not set are made once and kept under
 * `dataDir`, readable by this user only. Otherwise `readConfig` has seen to it that they are set.
 * Throws what the file system throws.
 */
export const loadSecrets = (config: Config): Secrets => {
  const { jwtSecret, opsTokens, databaseUrl, redisUrls } = config;
  if (databaseUrl !== undefined || redisUrls !== undefined) return { jwtSecret, opsTokens, opsTokenFile: undefined };
  const dataDir = path.resolve(config.dataDir);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const kept = (name: string): string => keepOnce(path.join(dataDir, name), () => randomBytes(32).toString('hex'));
  const isTokenOwn = opsTokens.length === 0;
  return {
    jwtSecret: jwtSecret ?? kept('jwt-secret'),
    opsTokens: isTokenOwn ? [{ name: 'operator', role: 'admin', token: kept('operator-token') }] : opsTokens,
    opsTokenFile: isTokenOwn ? path.join(dataDir, 'operator-token') : undefined,
  };
};
