import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadSecrets } from '../../server/reference/secrets.ts';
import { readConfig } from '../../server/settings/config.ts';

let dataDir = '';
beforeEach(() => {
  dataDir = mkdtempSync(path.join(os.tmpdir(), 'kibble-secrets-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const secret = 'f3a91c07be58d264f3a91c07be58d264';

it('makes the secrets of the embedded mode once', () => {
  const first = loadSecrets(readConfig({ DATA_DIR: dataDir }));
  const second = loadSecrets(readConfig({ DATA_DIR: dataDir }));

  expect(second).toEqual(first);
  expect(first.jwtSecret).toHaveLength(64);
});

it('keeps them for this user alone', () => {
  const { opsTokens, opsTokenFile = '' } = loadSecrets(readConfig({ DATA_DIR: dataDir }));

  expect(statSync(opsTokenFile).mode & 0o777).toBe(0o600);
  expect(readFileSync(opsTokenFile, 'utf8')).toBe(opsTokens[0]?.token);
});

it('refuses one that others can read, and one that is empty', () => {
  const config = readConfig({ DATA_DIR: dataDir });
  const { opsTokenFile = '' } = loadSecrets(config);

  chmodSync(opsTokenFile, 0o644);
  expect(() => loadSecrets(config)).toThrow(`${opsTokenFile} can be read by other users`);
  chmodSync(opsTokenFile, 0o600);
  writeFileSync(opsTokenFile, '');
  expect(() => loadSecrets(config)).toThrow(`${opsTokenFile} is not what was written into it`);
});

it('prefers what the operator has set', () => {
  const secrets = loadSecrets(
    readConfig({ DATA_DIR: dataDir, JWT_SECRET: secret, OPS_TOKENS: 'ann:admin:0b7e42d9c1a86f35e2d94b70' }),
  );

  expect(secrets).toMatchObject({ jwtSecret: secret, opsTokens: [{ name: 'ann' }], opsTokenFile: undefined });
});

it('makes none beside a database of the operator', () => {
  const secrets = loadSecrets(
    readConfig({
      DATABASE_URL: 'postgres://db/kibble',
      JWT_JWKS_URL: 'https://keys.example/jwks',
      JWT_ISSUER: 'game',
      JWT_AUDIENCE: 'kibble',
      OPS_TOKENS: 'ann:admin:0b7e42d9c1a86f35e2d94b70',
    }),
  );

  expect(secrets.jwtSecret).toBeUndefined();
});
