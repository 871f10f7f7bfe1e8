import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readConfig } from '../server/config.ts';

const read = (file: string): string => readFileSync(path.join(import.meta.dirname, '..', file), 'utf8');

const Service = z.object({
  image: z.string().optional(),
  command: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.string()).default({}),
  healthcheck: z.object({ test: z.tuple([z.literal('CMD')], z.string()) }),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
});
const { services } = z.object({ services: z.record(z.string(), Service) }).parse(parse(read('docker-compose.yml')));

it('starts the server when Postgres 17 and Redis 7 are healthy', () => {
  expect(services.postgres?.image).toBe('postgres:17');
  expect(services.redis?.image).toBe('redis:7');
  expect(services.server?.depends_on).toEqual({
    postgres: { condition: 'service_healthy' },
    redis: { condition: 'service_healthy' },
  });
});

it('makes Redis keep its writes', () => {
  expect(services.redis?.command.join(' ')).toContain('--appendonly yes');
});

it('gives the server settings that it accepts once the secrets are set', () => {
  const shell: Record<string, string> = {
    POSTGRES_PASSWORD: 'c0ffee',
    JWT_SECRET: 'f3a91c07be58d264f3a91c07be58d264',
    OPS_TOKENS: 'ann:admin:0b7e42d9c1a86f35e2d94b70',
  };
  const filled = Object.entries(services.server?.environment ?? {}).map(([name, value]) => [name, fill(value, shell)]);

  expect(readConfig(Object.fromEntries(filled))).toMatchObject({
    databaseUrl: 'postgres://kibble:c0ffee@postgres:5432/kibble',
    redisUrls: ['redis://redis:6379'],
  });
});

it('has no secret of its own', () => {
  const secrets = ['JWT_SECRET', 'OPS_TOKENS'].map((name) => services.server?.environment[name]);

  expect(secrets).toEqual([expect.stringMatching(/^\$\{JWT_SECRET:\?/), expect.stringMatching(/^\$\{OPS_TOKENS:\?/)]);
  expect(services.postgres?.environment.POSTGRES_PASSWORD).toMatch(/^\$\{POSTGRES_PASSWORD:\?/);
});

it('does not run as root', () => {
  expect(read('Dockerfile')).toMatch(/^USER node$/m);
});

/** What docker compose puts in for `${NAME}`, `${NAME:-default}` and `${NAME:?message}`. */
const fill = (value: string, shell: Record<string, string>): string =>
  value.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind?: string, text = '') => {
    return shell[name] ?? (kind === '-' ? text : '');
  });
