import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readConfig } from '../../server/settings/config.ts';

const read = (file: string): string => readFileSync(path.join(import.meta.dirname, '../..', file), 'utf8');

const Service = z.object({
  image: z.string().optional(),
  command: z.union([z.array(z.string()), z.string().transform((text) => [text])]).default([]),
  environment: z.record(z.string(), z.string()).default({}),
  healthcheck: z.object({ test: z.tuple([z.literal('CMD')], z.string()) }).optional(),
  stop_grace_period: z
    .string()
    .regex(/^\d+s$/)
    .optional(),
  profiles: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
});
const { services } = z
  .object({ services: z.record(z.string(), Service) })
  .parse(parse(read('docker-compose.yml'), { merge: true }));

const servers = ['gateway-1', 'gateway-2', 'worker'];

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

/** What docker compose puts in for `${NAME}`, `${NAME:-default}` and `${NAME:?message}`. */
const fill = (value: string, shell: Record<string, string>): string =>
  value.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind?: string, text = '') => {
    return shell[name] ?? (kind === '-' ? text : '');
  });
