import { expect, it } from 'vitest';
import { ConfigError, readCommandSettings, readConfig } from '../../server/settings/config.ts';

const secret = 'f3a91c07be58d264f3a91c07be58d264';
const token = '0b7e42d9c1a86f35e2d94b70';
const served = { DATABASE_URL: 'postgres://kibble:pw@db/kibble', JWT_SECRET: secret, OPS_TOKENS: `ann:admin:${token}` };

const faultsOf = (env: Record<string, string>): readonly string[] => {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
};

it('needs no setting at all for the embedded mode', () => {
  expect(readConfig({})).toMatchObject({
    port: 2567,
    databaseUrl: undefined,
    schema: 'kibble',
    redisUrls: undefined,
    role: 'all',
    opsTokens: [],
    timerShards: 16,
    dataDir: '.kibble/',
    hasDevTools: false,
  });
});

it('cannot be changed afterwards', () => {
  expect(Object.isFrozen(readConfig({}))).toBe(true);
});

it('takes an empty value as unset', () => {
  expect(readConfig({ PORT: '', DATABASE_URL: ' ' })).toMatchObject({ port: 2567, databaseUrl: undefined });
});

it('reads several Redis URLs as one cluster', () => {
  const { redisUrls } = readConfig({ ...served, REDIS_URL: 'redis://a:1, redis://b:2' });

  expect(redisUrls).toEqual(['redis://a:1', 'redis://b:2']);
});

it('reads REDIS_URI, as Colyseus names it, where REDIS_URL is unset', () => {
  const uri = { ...served, REDIS_URI: 'redis://uri' };
  expect(readConfig(uri).redisUrls).toEqual(['redis://uri']);
  expect(readCommandSettings({ ...uri, REDIS_URL: ' ' }).redisUrls).toEqual(['redis://uri']);
  expect(readConfig({ ...uri, REDIS_URL: 'redis://url' }).redisUrls).toEqual(['redis://url']);
});

it('reads operators with their roles', () => {
  const { opsTokens } = readConfig({ OPS_TOKENS: `ann:admin:${token},bob:viewer:${token}x:y` });

  expect(opsTokens).toEqual([
    { name: 'ann', role: 'admin', token },
    { name: 'bob', role: 'viewer', token: `${token}x:y` },
  ]);
});

it('allows Redis beside the embedded Postgres', () => {
  const { databaseUrl, redisUrls } = readConfig({ ...served, DATABASE_URL: '', REDIS_URL: 'redis://a' });

  expect([databaseUrl, redisUrls]).toEqual([undefined, ['redis://a']]);
});

it.each([
  ['PORT', { PORT: '65536' }],
  ['PORT', { PORT: '80.5' }],
  ['PORT', { PORT: '-1' }],
  ['DATABASE_URL', { ...served, DATABASE_URL: 'mysql://db' }],
  ['KIBBLE_SCHEMA', { KIBBLE_SCHEMA: 'kibble"; drop' }],
  ['REDIS_URL', { ...served, REDIS_URL: 'redis://a,http://b' }],
  ['REDIS_URL', { ...served, REDIS_URL: ',' }],
  ['REDIS_URL', { ...served, REDIS_URL: 'redis+sentinel://a/name,redis://b' }],
  ['REDIS_URL', { ...served, REDIS_URL: 'redis+sentinel://a:26379' }],
  ['REDIS_URL', { ...served, REDIS_URI: 'http://a' }],
  ['REDIS_PREFIX', { REDIS_PREFIX: '{tag}' }],
  ['ROLE', { ...served, ROLE: 'boss' }],
  ['ROLE', { ...served, ROLE: 'worker' }],
  ['ROLE', { ROLE: 'gateway' }],
  ['PUBLIC_ADDRESS', { PUBLIC_ADDRESS: 'a b' }],
  ['PUBLIC_ADDRESS', { PUBLIC_ADDRESS: 'wss://play.example.com' }],
  ['PUBLIC_ADDRESS', { PUBLIC_ADDRESS: 'play.example.com/gateway-1/' }],
  ['TRUST_PROXY', { TRUST_PROXY: 'yes' }],
  ['JWT_SECRET', { ...served, JWT_SECRET: '' }],
  ['JWT_SECRET', { REDIS_URL: 'redis://a', OPS_TOKENS: served.OPS_TOKENS }],
  ['JWT_SECRET', { ...served, JWT_SECRET: secret.slice(1) }],
  ['JWT_SECRET', { ...served, JWT_SECRET: 'change-me-change-me-change-me-change-me' }],
  ['JWT_SECRET', { ...served, JWT_SECRET: 'a'.repeat(64) }],
  ['JWT_SECRET', { JWT_SECRET: 'short' }],
  ['JWT_JWKS_URL', { JWT_JWKS_URL: 'keys.json', JWT_ISSUER: 'i', JWT_AUDIENCE: 'a' }],
  ['JWT_JWKS_URL', { JWT_JWKS_URL: 'http://keys', JWT_ISSUER: 'i', JWT_AUDIENCE: 'a', NODE_ENV: 'production' }],
  ['JWT_ISSUER', { JWT_JWKS_URL: 'https://keys', JWT_AUDIENCE: 'a' }],
  ['JWT_AUDIENCE', { JWT_JWKS_URL: 'https://keys', JWT_ISSUER: 'i' }],
  ['OPS_TOKENS', { ...served, OPS_TOKENS: '' }],
  ['OPS_TOKENS', { OPS_TOKENS: token }],
  ['OPS_TOKENS', { OPS_TOKENS: `ann:boss:${token}` }],
  ['OPS_TOKENS', { OPS_TOKENS: `ann:admin:${token.slice(1)}` }],
  ['OPS_TOKENS', { OPS_TOKENS: `ann:admin:${token},ann:viewer:${token}x` }],
  ['OPS_TOKENS', { OPS_TOKENS: `ann:admin:${token},bob:viewer:${token}` }],
  ['ALLOWED_ORIGINS', { ALLOWED_ORIGINS: 'https://game.example/path' }],
  ['ALLOWED_ORIGINS', { ALLOWED_ORIGINS: '*' }],
  ['ALLOWED_ORIGINS', { ALLOWED_ORIGINS: 'https://*.game.example' }],
  ['TIMER_SHARDS', { TIMER_SHARDS: '0' }],
  ['DB_POOL', { DB_POOL: '1' }],
  ['DRAIN_MS', { DRAIN_MS: 'soon' }],
  ['EVENT_RETENTION_DAYS', { EVENT_RETENTION_DAYS: '0' }],
  ['TIMER_RETENTION_DAYS', { TIMER_RETENTION_DAYS: '1e3' }],
  ['LOG_LEVEL', { LOG_LEVEL: 'loud' }],
  ['DEV_TOOLS', { DEV_TOOLS: 'true' }],
  ['DEV_TOOLS', { DEV_TOOLS: '1', NODE_ENV: 'production' }],
  ['JWT_SECRET', { JWT_SECRET: secret, OPS_TOKENS: `ann:admin:${secret}` }],
  ['JWT_ISSUER', { JWT_SECRET: secret, JWT_ISSUER: 'kibble-guest' }],
  ['JWT_ISSUER', { JWT_SECRET: secret, JWT_AUDIENCE: 'game' }],
  ['DATABASE_URL', { ...served, DATABASE_URL: 'postgres://game:game@db/kibble', NODE_ENV: 'production' }],
  ['DATABASE_URL', { ...served, DATABASE_URL: 'postgres://game:p%61ssword@db/kibble', NODE_ENV: 'production' }],
  ['REDIS_URL', { ...served, REDIS_URL: 'redis://a,redis://:foobared@b', NODE_ENV: 'production' }],
  ['ALLOWED_ORIGINS', { ALLOWED_ORIGINS: 'http://localhost:5173,http://game.example', NODE_ENV: 'production' }],
  ['NODE_TLS_REJECT_UNAUTHORIZED', { ...served, NODE_TLS_REJECT_UNAUTHORIZED: '0' }],
  ['NODE_OPTIONS', { NODE_OPTIONS: '--max-old-space-size=500 --inspect=0.0.0.0', NODE_ENV: 'production' }],
  ['DEBUG', { DEBUG: 'app,colyseus:*', NODE_ENV: 'production' }],
] as const)('refuses %s alone in %j', (variable, env) => {
  expect(faultsOf(env)).toEqual([expect.stringMatching(new RegExp(`^${variable}: `))]);
});

it.each([
  ['a page on the same machine', { ALLOWED_ORIGINS: 'http://localhost:5173', NODE_ENV: 'production' }],
  ['a database without a password', { ...served, DATABASE_URL: 'postgres://kibble@db/kibble', NODE_ENV: 'production' }],
  ['the log of something else', { DEBUG: 'app', NODE_ENV: 'production' }],
])('accepts %s', (_what, env) => {
  expect(faultsOf(env)).toEqual([]);
});

it('lists all faults at once, one line each', () => {
  const message = (() => {
    try {
      return String(readConfig({ REDIS_URL: 'redis://a', PORT: 'x', ROLE: 'worker' }));
    } catch (error) {
      return error instanceof Error ? error.message : '';
    }
  })();

  expect(message.split('\n').map((line) => /^ {2}- (\w+):/.exec(line)?.[1])).toEqual([
    undefined,
    'PORT',
    'JWT_SECRET',
    'OPS_TOKENS',
    'ROLE',
  ]);
});

it('repeats no value in its faults', () => {
  const faults = faultsOf({
    ...served,
    JWT_SECRET: 'hunter-2',
    OPS_TOKENS: 'ann:admin:hunter-22',
    DATABASE_URL: 'hunter-2',
  });

  expect(faults).toHaveLength(3);
  expect(faults.join()).not.toContain('hunter-2');
});
