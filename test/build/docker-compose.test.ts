import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readConfig } from '../../server/settings/config.ts';
import { Environment } from '../../server/settings/config-environment.ts';

const read = (file: string): string => readFileSync(path.join(import.meta.dirname, '../..', file), 'utf8');

const servers = ['gateway-1', 'gateway-2', 'worker'];
const seconds = z.string().regex(/^\d+s$/);
const Condition = z.enum(['service_started', 'service_healthy', 'service_completed_successfully']);
/** All that we use of compose: a misspelt key is a fault here, as in compose itself. */
const Service = z.strictObject({
  build: z.string().optional(),
  init: z.boolean().optional(),
  image: z
    .string()
    .regex(/^[\w/.-]+:[\w.-]+$/)
    .optional(),
  command: z.union([z.array(z.string()), z.string().transform((text) => [text])]).default([]),
  environment: z.record(z.string(), z.string()).default({}),
  healthcheck: z
    .strictObject({
      test: z.tuple([z.literal('CMD')], z.string()),
      interval: seconds,
      timeout: seconds,
      retries: z.int().min(1),
    })
    .optional(),
  stop_grace_period: seconds.optional(),
  profiles: z.array(z.string()).default([]),
  volumes: z.array(z.string().regex(/^[^:]+:[^:]+(:ro)?$/)).default([]),
  secrets: z.array(z.string()).default([]),
  ports: z.array(z.union([z.string().regex(/^(127\.0\.0\.1:)?\d+:\d+$/), z.int()])).default([]),
  restart: z.enum(['no', 'unless-stopped']),
  depends_on: z.record(z.string(), z.strictObject({ condition: Condition })).default({}),
});
const Compose = z.strictObject({
  /** Else the folder's name would decide which volume has the database. */
  name: z.literal('kibble'),
  services: z.record(z.string(), Service),
  volumes: z.record(z.string(), z.null()),
  secrets: z.record(z.string(), z.strictObject({ environment: z.string() })),
});
const { 'x-kibble': _kibble, 'x-cluster-node': _node, ...file } = parse(read('docker-compose.yml'), { merge: true });
const { services, ...declared } = Compose.parse(file);

it('is started with the sources of now, as each comment says', () => {
  const starts = [...read('docker-compose.yml').matchAll(/^# .*docker compose .*\bup\b.*$/gm)].map(([line]) => line);
  expect(starts).toHaveLength(2);
  expect(starts.filter((line) => !line.includes('--build'))).toEqual([]);
});

it('names only services, volumes and secrets that it declares', () => {
  for (const [name, { depends_on, volumes, secrets, build, image }] of Object.entries(services)) {
    expect([name, Object.keys(depends_on).filter((other) => !(other in services))]).toEqual([name, []]);
    const named = volumes.map((volume) => volume.split(':')[0] ?? '').filter((source) => !source.startsWith('.'));
    expect([name, named.filter((volume) => !(volume in declared.volumes))]).toEqual([name, []]);
    expect([name, secrets.filter((secret) => !(secret in declared.secrets))]).toEqual([name, []]);
    expect([name, (build === undefined) !== (image === undefined)]).toEqual([name, true]);
  }
});

it('waits for the health only of services that have a check of it, and for the end only of those that end', () => {
  for (const { depends_on } of Object.values(services)) {
    for (const [other, { condition }] of Object.entries(depends_on)) {
      if (condition === 'service_healthy')
        expect([other, services[other]?.healthcheck]).not.toEqual([other, undefined]);
      if (condition === 'service_completed_successfully')
        expect([other, services[other]?.restart]).toEqual([other, 'no']);
    }
  }
});

it('sets only variables that the settings have, and opens the port that they have', () => {
  const ours = Object.entries(services).filter(([, { build }]) => build !== undefined);
  expect(ours.map(([name]) => name)).toEqual(['migrate', ...servers]);
  for (const [name, { environment, ports, healthcheck }] of ours) {
    const unknown = Object.keys(environment).filter((variable) => !(variable in Environment.in.shape));
    expect([name, unknown]).toEqual([name, []]);
    for (const port of ports) expect([name, `${port}`.split(':').at(-1)]).toEqual([name, `${readConfig({}).port}`]);
    if (healthcheck) expect(healthcheck.test.join(' ')).toContain(`127.0.0.1:${readConfig({}).port}`);
  }
});

it('opens no port of this machine twice', () => {
  const opened = Object.values(services).flatMap(({ ports }) => ports.map((port) => `${port}`.split(':').at(-2)));
  expect(new Set(opened).size).toBe(opened.length);
});

it('starts two gateways and a worker when the schema is up to date and Redis 7 is healthy', () => {
  expect(services.postgres?.image).toBe('postgres:17');
  expect(services.redis?.image).toBe('redis:7');
  expect(services.migrate?.depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
  for (const name of servers) {
    expect(services[name]?.depends_on).toEqual({
      migrate: { condition: 'service_completed_successfully' },
      redis: { condition: 'service_healthy' },
    });
    expect(services[name]?.healthcheck?.test.join(' ')).toContain('/readyz');
  }
});

it('runs only files that exist', () => {
  for (const { command } of Object.values(services)) {
    for (const word of command.filter((part) => part.startsWith('server/'))) expect(read(word)).not.toBe('');
  }
});

it('has a Redis Cluster under its own profile', () => {
  const nodes = ['redis-1', 'redis-2', 'redis-3', 'redis-cluster'];
  expect(Object.keys(services).filter((name) => services[name]?.profiles.includes('cluster'))).toEqual(nodes);
});

it('has Prometheus and Grafana under their own profile, with files that exist', () => {
  const watchers = Object.values(services).filter(({ profiles }) => profiles.includes('observability'));
  const files = watchers.flatMap(({ volumes }) => volumes).filter((volume) => volume.startsWith('./'));
  expect(watchers.map(({ image }) => image?.split(':')[0])).toEqual(['prom/prometheus', 'grafana/grafana']);
  expect(files).toHaveLength(5);
  for (const file of files) expect(read(file.split(':')[0] ?? '')).not.toBe('');
});

it('makes Redis keep its writes', () => {
  expect(services.redis?.command.join(' ')).toContain('--appendonly yes');
});

it.each(servers)('gives %s settings that it accepts once the secrets are set', (name) => {
  const shell: Record<string, string> = {
    POSTGRES_PASSWORD: 'c0ffee',
    JWT_SECRET: 'f3a91c07be58d264f3a91c07be58d264',
    OPS_TOKENS: 'ann:admin:0b7e42d9c1a86f35e2d94b70',
  };
  const filled = Object.entries(services[name]?.environment ?? {}).map(([key, value]) => [key, fill(value, shell)]);

  expect(readConfig(Object.fromEntries(filled))).toMatchObject({
    databaseUrl: 'postgres://kibble:c0ffee@postgres:5432/kibble',
    redisUrls: ['redis://redis:6379'],
    role: name.replace(/-\d$/, ''),
  });
});

it('has no secret of its own', () => {
  for (const name of [...servers, 'migrate']) {
    const { JWT_SECRET, OPS_TOKENS } = services[name]?.environment ?? {};
    expect([JWT_SECRET, OPS_TOKENS]).toEqual([
      expect.stringMatching(/^\$\{JWT_SECRET:\?/),
      expect.stringMatching(/^\$\{OPS_TOKENS:\?/),
    ]);
  }
  expect(services.postgres?.environment.POSTGRES_PASSWORD).toMatch(/^\$\{POSTGRES_PASSWORD:\?/);
});

it.each(servers)('lets %s drain before it is killed', (name) => {
  const graceMs = Number.parseInt(services[name]?.stop_grace_period ?? '0', 10) * 1000;
  expect(graceMs).toBeGreaterThan(readConfig({}).drainMs);
});

it('gives Node a parent, so that it ends by a SIGTERM also while it starts', () => {
  for (const name of ['migrate', ...servers]) expect([name, services[name]?.init]).toEqual([name, true]);
});

it('tells clients of each gateway where to reach that one', () => {
  const addresses = servers.map((name) => services[name]?.environment.PUBLIC_ADDRESS);
  expect(addresses.map((address) => address && fill(address, {}))).toEqual([
    'localhost:2567',
    'localhost:2568',
    undefined,
  ]);
});

it('does not run as root', () => {
  expect(read('Dockerfile')).toMatch(/^USER node$/m);
});

/** The text that docker compose inserts for `${NAME}`, `${NAME:-default}` and `${NAME:?message}`. */
const fill = (value: string, shell: Record<string, string>): string =>
  value.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind?: string, text = '') => {
    return shell[name] ?? (kind === '-' ? text : '');
  });

it('takes its secrets from a file that stays, which git ignores', () => {
  const secretsAtStart = /^#.*openssl.*docker compose/m;
  expect(read('docker-compose.yml')).not.toMatch(secretsAtStart);
  expect(read('.gitignore').split('\n')).toContain('.env');
});

it('waits until Postgres listens on its port, not on the socket of the first start', () => {
  expect(services.postgres?.healthcheck?.test).toContain('--host=127.0.0.1');
});
