import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { inherited, startServer } from '../../examples/support/server-process.ts';
import { until } from '../chaos/play/within.ts';
import { timed } from '../proof/table/tries.ts';
import { joinHome } from '../support/game/player.ts';
import { createDatabase, type TestDatabase } from '../support/postgres/postgres-server.ts';
import { prove } from '../support/properties/prove.ts';
import { startRedis } from '../support/redis/redis-server.ts';

const SECRETS = { JWT_SECRET: 'k7Qz1v9XbT4mR8wLcY2nPdF6sJhA3gUe', OPS_TOKENS: 'op:admin:Zx81kQmW4vTn7LrB2yHcD5sJ' };
/** Long enough to come due after the hand-over. */
const MEAL_MS = 5_000;
const EATEN_MS = 20_000;
/** Beyond the hand-over. */
const LATE_MS = 1_000;
const main = path.join(import.meta.dirname, '../../server/reference/main.ts');
let folder: string;
let database: TestDatabase;

beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-refused-'));
  database = await createDatabase(inject('postgresUrl'));
});
afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the server until it gives up; answers its exit code and what it said on stderr. */
const refused = (
  env: Readonly<Record<string, string>>,
): Promise<{ readonly code: number | null; readonly said: string }> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [main], {
      env: { ...inherited(), PORT: '0', ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk;
    });
    child.once('exit', (code) => resolve({ code, said: said.trim() }));
  });

const portInUse = (): Promise<{ readonly taken: Server; readonly port: number }> =>
  new Promise((resolve) => {
    const taken = createServer().listen(0, () => {
      const address = taken.address();
      resolve({ taken, port: typeof address === 'object' && address ? address.port : 0 });
    });
  });

const rulesFile = (name: string, content: string): string => {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return file;
};

describe('the server does not start, and says in a line what is wrong and what to do,', () => {
  it('when its port is in use', async () => {
    const { taken, port } = await portInUse();
    const { code, said } = await refused({ ...SECRETS, DATABASE_URL: database.url, PORT: String(port) });
    taken.close();
    expect({ code, said }).toEqual({ code: 1, said: `PORT ${port} is in use: set PORT to another one` });
  });

  it('when DATABASE_URL does not answer', async () => {
    const { code, said } = await refused({ ...SECRETS, DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' });
    expect(code).toBe(1);
    expect(said).toMatch(/^DATABASE_URL does not answer \(.*ECONNREFUSED.*\): is Postgres running there\?$/);
  });

  it('when the rules file is no JSON, and when it has faults: all of them at once', async () => {
    const env = { DATA_DIR: path.join(folder, 'rules-data') };
    const broken = await refused({ ...env, RULES_FILE: rulesFile('broken.json', '{ "foods": ') });
    expect(broken).toMatchObject({ code: 1, said: expect.stringMatching(/^RULES_FILE cannot be read as JSON: /) });
    const rules = { cards: { boost: { effect: 'fly' } }, foods: { snack: { workMs: 0, xp: 1 } }, levels: [0, 5, 5] };
    const faulty = await refused({ ...env, RULES_FILE: rulesFile('faulty.json', JSON.stringify(rules)) });
    expect(faulty.code).toBe(1);
    for (const fault of ['cards.boost.effect', 'foods.snack.workMs', 'levels']) expect(faulty.said).toContain(fault);
  });

  it('when the data folder cannot be written', async () => {
    const file = path.join(folder, 'a-file');
    writeFileSync(file, '');
    const { code, said } = await refused({ DATA_DIR: path.join(file, 'data') });
    expect(code).toBe(1);
    expect(said.split('\n')).toHaveLength(1);
    expect(said).toContain(file);
  });

  it('when settings are wrong: all of them at once', async () => {
    const { code, said } = await refused({ PORT: 'many', ROLE: 'king', DATABASE_URL: database.url });
    expect(code).toBe(1);
    for (const name of ['PORT', 'ROLE', 'JWT_SECRET', 'OPS_TOKENS']) expect(said).toContain(name);
  });

  it.skipIf(inject('redisUrl') === '')('when Redis wants another password than REDIS_URL has', async () => {
    const redis = await startRedis({ flags: ['--requirepass', 'right'] });
    const url = redis.url.replace('redis://', 'redis://:wrong@');
    const { code, said } = await refused({ ...SECRETS, DATABASE_URL: database.url, REDIS_URL: url });
    await redis.stop();
    expect(code).toBe(1);
    expect(said).toMatch(
      /^redis\/refused: Redis refuses the user or the password of redis, REDIS_URL \(WRONGPASS[^\n]*$/,
    );
  });

  it('when another server works in the same data folder', { timeout: 60_000 }, async () => {
    const dataDir = path.join(folder, 'shared-data');
    const first = await startServer({ PORT: '0', DATA_DIR: dataDir });
    const { code, said } = await refused({ DATA_DIR: dataDir });
    await first.stop();
    expect(code).toBe(1);
    expect(said.split('\n')).toHaveLength(1);
    expect(said).toContain(dataDir);
  });
});

it('starts although REDIS_URL does not answer, says so, and serves', async () => {
  const server = await startServer({
    ...SECRETS,
    PORT: '0',
    DATABASE_URL: database.url,
    REDIS_URL: 'redis://127.0.0.1:9',
  });
  const ready = await fetch(`${server.address}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([200, { ready: true, degraded: ['redis'] }]);
  const player = await joinHome(server.address);
  expect(await player.ask('home:adopt', { name: 'Rex', species: 'dog' })).toMatchObject({ petId: expect.any(String) });
  await player.room.leave();
  expect((await fetch(`${server.address}/livez`)).status).toBe(200);
  expect(await server.stop()).toBe(0);
});

it('waits while another server works on the same database without Redis, says so, and serves when that one has stopped', {
  timeout: 60_000,
}, async (context) => {
  const quick = JSON.stringify({ foods: { 'dog-food': { workMs: MEAL_MS, xp: 1 } } });
  const env = { ...SECRETS, PORT: '0', DATABASE_URL: database.url, RULES_FILE: rulesFile('quick.json', quick) };
  const first = await startServer(env);
  const child = spawn(process.execPath, [main], {
    env: { ...inherited(), ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let said = '';
  const saying = (words: string): Promise<void> =>
    new Promise((resolve) => {
      child.stdout.on('data', (chunk: Buffer) => {
        said += chunk;
        if (said.includes(words)) resolve();
      });
    });
  await saying('database/in-use');
  expect(said).not.toContain('Kibble is ready');
  const player = await joinHome(first.address);
  const { petId } = await player.ask('home:adopt', { name: 'Rex', species: 'dog' });
  const { feedingId, dueAt = 0 } = await player.ask('home:feed', { petId, food: 'dog-food' });
  const isReady = saying('Kibble is ready');
  const leftAtMs = performance.now();
  expect(await first.stop()).toBe(0);
  await isReady;
  const handOverMs = performance.now() - leftAtMs;
  const pool = new Pool({ connectionString: database.url, max: 1 });
  onTestFinished(() => pool.end());
  const meals = async () =>
    (
      await pool.query<{ readonly at: number; readonly read_at: number }>(
        `select at::float8, read_at::float8 from kibble.event
         where type = 'feeding-completed' and body->>'feedingId' = $1`,
        [feedingId],
      )
    ).rows;
  await until('the pet has eaten', EATEN_MS, async () => (await meals()).length > 0);
  expect(Date.now()).toBeGreaterThanOrEqual(dueAt);
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  const [meal, ...more] = await meals();
  expect(more).toEqual([]);
  expect(meal?.at).toBe(dueAt);
  expect((meal?.read_at ?? Number.NaN) - dueAt).toBeLessThanOrEqual(handOverMs + timed(LATE_MS));
  prove(context, { row: 32, tries: 1, of: 'deploys without Redis' });
});
