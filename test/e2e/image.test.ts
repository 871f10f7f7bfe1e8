// The steps of `docker build` and `docker compose up`, without Docker.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { startServer } from '../../examples/support/server-process.ts';
import { buildImage, type Image } from '../support/machine/image.ts';
import { createDatabase } from '../support/postgres/postgres-server.ts';

const root = path.join(import.meta.dirname, '../..');
let image: Image;
// Two installs of some hundred packages each.
beforeAll(async () => {
  image = await buildImage(root, [' && npm cache clean --force']);
}, 300_000);
// Some ten thousand files.
afterAll(() => image?.remove(), 300_000);

it('the image that the Dockerfile builds migrates, serves both pages, and ends when it is told to', async () => {
  const database = await createDatabase(inject('postgresUrl'));
  const env = {
    NODE_ENV: 'production',
    PORT: '0',
    DATABASE_URL: database.url,
    JWT_SECRET: 'k7Qz1v9XbT4mR8wLcY2nPdF6sJhA3gUe',
    OPS_TOKENS: 'op:admin:Zx81kQmW4vTn7LrB2yHcD5sJ',
  };
  const inImage = (file: string): string => path.join(image.folder, file);
  const { stdout } = await promisify(execFile)(process.execPath, [inImage('server/reference/migrate.ts')], { env });
  expect(stdout).toContain('migrated');

  const server = await startServer(env, inImage('server/reference/main.ts'));
  for (const [place, title] of [
    ['/', 'Kibble'],
    ['/ops/', 'Kibble'],
    ['/readyz', ''],
  ] as const) {
    const answer = await fetch(`${server.address}${place}`);
    expect([place, answer.status]).toEqual([place, 200]);
    expect(await answer.text()).toContain(title);
  }
  // The command of the runbook.
  const command = 'server/cli/kibble-command.ts';
  expect(readFileSync(path.join(root, 'docs/runbook.md'), 'utf8')).toContain(`exec gateway-1 node ${command} --url`);
  const args = [inImage(command), '--url', server.address, '--token', 'Zx81kQmW4vTn7LrB2yHcD5sJ', 'timers', 'ls'];
  const listed = await promisify(execFile)(process.execPath, args, { env: { NODE_ENV: 'production' } });
  expect(listed.stdout).toContain('0 of 0');
  expect(await server.stop()).toBe(0);
  await database.drop();
});
