// Row 20 of the promises: an unsafe server does not start, and one that runs shows strangers nothing.

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inherited } from '../../examples/support/server-process.ts';
import { readConfig } from '../../server/settings/config.ts';
import { explainStart } from '../../server/wiring/explain-start.ts';
import { tries } from '../proof/table/tries.ts';
import { requestText, sendRaw, statusOf } from '../support/machine/raw-http.ts';
import { prove } from '../support/properties/prove.ts';
import { SECRETS, sideBySide, startVictim, type Victim } from './support/victim.ts';

const root = path.join(import.meta.dirname, '../..');
const main = path.join(root, 'server/reference/main.ts');
const token = '0b7e42d9c1a86f35e2d94b70';
/** No server listens there: a configuration that passes the checks fails with another message. */
const served = { ...SECRETS, DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' };
const production = { ...served, NODE_ENV: 'production' };

const unsafe: readonly [what: string, variable: string, env: Readonly<Record<string, string>>][] = [
  ['no secret beside a database', 'JWT_SECRET', { ...served, JWT_SECRET: '' }],
  ['no secret beside a Redis', 'JWT_SECRET', { OPS_TOKENS: SECRETS.OPS_TOKENS, REDIS_URL: 'redis://127.0.0.1:9' }],
  ['a short secret', 'JWT_SECRET', { ...served, JWT_SECRET: 'k7Qz1v9XbT4mR8wLcY2nPdF6sJhA3gU' }],
  ['a secret of one letter', 'JWT_SECRET', { ...served, JWT_SECRET: 'x'.repeat(64) }],
  [
    'a secret out of a sample file',
    'JWT_SECRET',
    { ...served, JWT_SECRET: 'your-secret-key-goes-here-please-change-it' },
  ],
  ['a secret that counts', 'JWT_SECRET', { ...served, JWT_SECRET: '12345678901234567890123456789012' }],
  ['a short secret on one machine', 'JWT_SECRET', { JWT_SECRET: 'short' }],
  ['the operator’s token as the secret', 'JWT_SECRET', { ...served, OPS_TOKENS: `op:admin:${SECRETS.JWT_SECRET}` }],
  ['no operator’s token', 'OPS_TOKENS', { ...served, OPS_TOKENS: '' }],
  ['a short operator’s token', 'OPS_TOKENS', { ...served, OPS_TOKENS: `op:admin:${token.slice(1)}` }],
  ['a well-known operator’s token', 'OPS_TOKENS', { ...served, OPS_TOKENS: 'op:admin:password-password-password' }],
  ['one token for two operators', 'OPS_TOKENS', { ...served, OPS_TOKENS: `a:admin:${token},b:viewer:${token}` }],
  ['a role that is none', 'OPS_TOKENS', { ...served, OPS_TOKENS: `op:root:${token}` }],
  ['keys of any issuer', 'JWT_ISSUER', { ...served, JWT_JWKS_URL: 'https://id.example/jwks', JWT_AUDIENCE: 'game' }],
  ['keys for any audience', 'JWT_AUDIENCE', { ...served, JWT_JWKS_URL: 'https://id.example/jwks', JWT_ISSUER: 'id' }],
  [
    'keys over plain HTTP',
    'JWT_JWKS_URL',
    { ...production, JWT_JWKS_URL: 'http://id.example/jwks', JWT_ISSUER: 'id', JWT_AUDIENCE: 'game' },
  ],
  ['an audience without an issuer', 'JWT_ISSUER', { ...served, JWT_AUDIENCE: 'game' }],
  ['the guests’ name for an issuer', 'JWT_ISSUER', { ...served, JWT_ISSUER: 'kibble-guest' }],
  ['every origin', 'ALLOWED_ORIGINS', { ...served, ALLOWED_ORIGINS: '*' }],
  ['every origin below a name', 'ALLOWED_ORIGINS', { ...served, ALLOWED_ORIGINS: 'https://*.game.example' }],
  ['the origin of files', 'ALLOWED_ORIGINS', { ...served, ALLOWED_ORIGINS: 'null' }],
  ['an origin over plain HTTP', 'ALLOWED_ORIGINS', { ...production, ALLOWED_ORIGINS: 'http://game.example' }],
  ['a plain address for the public', 'PUBLIC_ADDRESS', { ...served, PUBLIC_ADDRESS: 'http://play.game.example' }],
  ['any number of proxies', 'TRUST_PROXY', { ...served, TRUST_PROXY: 'true' }],
  ['a tester’s tools', 'DEV_TOOLS', { ...production, DEV_TOOLS: '1' }],
  [
    'the database’s own password',
    'DATABASE_URL',
    { ...production, DATABASE_URL: 'postgres://postgres:postgres@127.0.0.1:9/k' },
  ],
  ['the sample’s password of Redis', 'REDIS_URL', { ...production, REDIS_URL: 'redis://:foobared@127.0.0.1:9' }],
  ['certificates that nobody checks', 'NODE_TLS_REJECT_UNAUTHORIZED', { ...served, NODE_TLS_REJECT_UNAUTHORIZED: '0' }],
  ['a debugger', 'NODE_OPTIONS', { ...production, NODE_OPTIONS: '--inspect-port=0 --inspect=127.0.0.1:0' }],
  ['what players send in the log', 'DEBUG', { ...production, DEBUG: 'colyseus:*' }],
];

/** One in so many as a process; all are read by the same function. */
const STARTED_EVERY = tries({ test: 8, proof: 1 });

describe('a server with unsafe settings', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-unsafe-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs the server until it gives up. */
  const start = (
    env: Readonly<Record<string, string>>,
  ): Promise<{ readonly code: number | null; readonly said: string }> =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, [main], {
        env: { ...inherited(), PORT: '0', DATA_DIR: path.join(folder, 'data'), ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let said = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (chunk: Buffer) => {
          said += chunk;
          if (said.includes('ready at')) child.kill('SIGKILL');
        });
      }
      child.once('close', (code) => resolve({ code, said }));
    });

  /** The same judgement in this process. */
  const judge = (env: Readonly<Record<string, string>>): { readonly code: number; readonly said: string } => {
    try {
      readConfig(env);
      return { code: 0, said: '' };
    } catch (error) {
      return { code: 1, said: explainStart(error) };
    }
  };

  it(`does not start, and names what is wrong: ${unsafe.length} of them`, { timeout: 300_000 }, async (context) => {
    const wrong: string[] = [];

    await sideBySide(unsafe.length, 3, async (at) => {
      const [what, variable, env] = unsafe[at] ?? ['', '', {}];
      const { code, said } = at % STARTED_EVERY === 0 ? await start(env) : judge(env);
      const isNamed = said.includes(`\n  - ${variable}: `);
      if (code !== 1 || !isNamed) wrong.push(`${what}: exit ${code}, ${said.slice(0, 300)}`);
      for (const secret of secretsIn({ ...SECRETS, ...env }))
        if (said.includes(secret)) wrong.push(`${what}: told ${secret}`);
    });

    console.info(`unsafe settings: ${unsafe.length}, started or unnamed ${wrong.length}`);
    expect(wrong).toEqual([]);
    expect(unsafe.length).toBeGreaterThanOrEqual(25);
    prove(context, { row: 20, tries: unsafe.length, of: 'unsafe configurations' });
  });
});

/** All that could be a secret in these settings. */
const secretsIn = (env: Readonly<Record<string, string>>): readonly string[] =>
  [env.JWT_SECRET, ...(env.OPS_TOKENS ?? '').split(',').map((entry) => entry.split(':')[2])]
    .filter((secret) => secret !== undefined)
    .filter((secret) => secret.length >= 5);

describe('a server that runs', () => {
  let victim: Victim;
  beforeAll(async () => {
    victim = await startVictim({ LOG_LEVEL: 'trace' });
  });
  afterAll(() => victim.close());

  /** Requests without a token that may succeed: pages and their files, probes, the rules of the game, a sign-in. */
  const isOpen = (method: string, url: string, type: string): boolean =>
    /^\/(livez|readyz|__healthcheck|(rules|works)\.json)$/.test(url) ||
    (method === 'POST' && url === '/auth/anonymous') ||
    /^text\/(html|css|javascript)|^application\/(javascript|manifest)|^(image|font)\//.test(type);

  it('has no door for strangers but pages, probes and the sign-in', { timeout: 120_000 }, async (context) => {
    const known = [
      ...[
        '/',
        '/livez',
        '/readyz',
        '/__healthcheck',
        '/metrics',
        '/rules.json',
        '/works.json',
        '/auth/anonymous',
        '/auth',
        '/auth/login',
        '/auth/register',
      ],
      ...[
        '/ops',
        '/ops/',
        '/ops/api',
        '/ops/api/overview',
        '/ops/api/players',
        '/ops/api/players/guest:x',
        '/ops/api/players/x/grant',
      ],
      ...[
        '/ops/api/timers',
        '/ops/api/shards',
        '/ops/api/audit',
        '/ops/api/rebuild',
        '/OPS/API/overview',
        '/ops//api/overview',
      ],
      ...[
        '/ops/api/../api/overview',
        '/ops/%61pi/overview',
        '/matchmake',
        '/matchmake/home',
        '/matchmake/joinOrCreate/home',
      ],
      ...[
        '/matchmake/create/home',
        '/matchmake/joinById/home',
        '/matchmake/query/home',
        '/matchmake/reconnect/home',
        '/rooms',
      ],
      ...[
        '/colyseus',
        '/monitor',
        '/playground',
        '/api/reference',
        '/__apidocs',
        '/debug',
        '/.env',
        '/package.json',
        '/server/reference/main.ts',
      ],
      ...[
        '/..%2fpackage.json',
        '/%2e%2e/package.json',
        '/assets/..%2f..%2fpackage.json',
        '/.kibble/jwt-secret',
        '/.git/config',
      ],
    ];
    const urls = [...known];
    const open: string[] = [];
    let asked = 0;

    for (const url of urls) {
      for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS', 'PUT', 'DELETE']) {
        const answer = await sendRaw(
          victim.address,
          requestText(`${method} ${url}`, { 'X-Forwarded-For': `10.9.0.${asked++ % 200}` }),
        );
        const status = statusOf(answer);
        const type = /content-type: ([^\r]*)/i.exec(answer)?.[1] ?? '';
        if (status >= 200 && status < 300 && status !== 204 && !isOpen(method, url, type))
          open.push(`${method} ${url}: ${status} ${type}`);
        if (answer.includes('file:///') || answer.includes(root)) open.push(`${method} ${url} tells where it lies`);
        for (const [, link = ''] of type.startsWith('text/html') ? answer.matchAll(/(?:href|src)="(\/[^"#]*)"/g) : []) {
          if (!urls.includes(link)) urls.push(link);
        }
      }
    }

    console.info(
      `crawl: ${urls.length} addresses, ${asked} requests, open to strangers besides assets, probes and sign-in: ${open.length}`,
    );
    expect(open).toEqual([]);
    prove(context, { row: 20, tries: asked, of: 'routes asked without a token' });
  });

  it('tells its log no secret, at the most talkative level', async (context) => {
    const guest = (await victim.tokens.signGuest('guest:log')) ?? '';
    for (const secret of [guest, SECRETS.JWT_SECRET, SECRETS.OPS_TOKENS]) {
      const headers = { Authorization: `Bearer ${secret}`, Cookie: `token=${secret}`, 'X-Forwarded-For': '10.9.1.1' };
      await sendRaw(
        victim.address,
        requestText('POST /matchmake/joinOrCreate/home', headers, JSON.stringify({ token: secret })),
      );
      await sendRaw(victim.address, requestText(`GET /ops/api/overview?token=${secret}`, headers));
      await sendRaw(
        victim.address,
        requestText(`GET /metrics?token=${secret}`, { ...headers, Origin: `https://${secret.slice(0, 20)}` }),
      );
    }
    const database = /\/\/([^@]*)@/.exec(String(victim.pool.options.connectionString))?.[1]?.split(':')[1];

    const said = victim.server.said();

    const leaks = [guest, ...secretsIn(SECRETS), database ?? guest].filter(
      (secret) => secret !== '' && said.includes(secret),
    );
    console.info(`secrets in ${said.split('\n').length} lines of the log: ${leaks.length}`);
    expect(leaks).toEqual([]);
    prove(context, { row: 20, tries: 1, of: 'logs searched for secrets' });
  });
});

// It asks the registry, which not every machine may: `npm test` stands alone.
it.runIf(tries({ test: 0, proof: 1 }) > 0)(
  'stands on no package with a known fault',
  { timeout: 60_000 },
  (context) => {
    const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], { cwd: root, encoding: 'utf8' });
    const { vulnerabilities } = JSON.parse(stdout).metadata ?? {};
    if (vulnerabilities === undefined) return context.skip(`the registry does not say: ${stdout.slice(0, 200)}`);
    expect(vulnerabilities).toMatchObject({ high: 0, critical: 0 });
    prove(context, { row: 20, tries: 1, of: 'audits of the packages' });
  },
);
