import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { type ServerProcess, startServer } from '../../examples/support/server-process.ts';
import { joinHome } from '../support/game/player.ts';
import { valueIn } from '../support/metrics/metrics.ts';
import { createDatabase, type TestDatabase } from '../support/postgres/postgres-server.ts';
import { type RedisServer, startRedis } from '../support/redis/redis-server.ts';

/** A meal takes a second: longer than a slow command. */
const rules = { foods: { 'dog-food': { workMs: 1000, xp: 10 } } };
let folder: string;
let database: TestDatabase;
let redis: RedisServer;
let gateways: readonly ServerProcess[] = [];
let worker: ServerProcess;

const settings = (): Record<string, string> => ({
  PORT: '0',
  DATABASE_URL: database.url,
  REDIS_URL: redis.url,
  JWT_SECRET: 'k7Qz1v9XbT4mR8wLcY2nPdF6sJhA3gUe',
  OPS_TOKENS: 'op:admin:Zx81kQmW4vTn7LrB2yHcD5sJ',
  RULES_FILE: path.join(folder, 'rules.json'),
});

const start = (role: string): Promise<ServerProcess> => startServer({ ...settings(), ROLE: role });

/** As docker-compose.yml does before it starts the servers. */
const migrate = async (): Promise<string> => {
  const main = path.join(import.meta.dirname, '../../server/reference/migrate.ts');
  return (await promisify(execFile)(process.execPath, [main], { env: settings() })).stdout;
};

describe.skipIf(!inject('redisUrl'))('two gateways without dispatchers and a worker without sockets', () => {
  beforeAll(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-roles-'));
    writeFileSync(path.join(folder, 'rules.json'), JSON.stringify(rules));
    database = await createDatabase(inject('postgresUrl'));
    redis = await startRedis();
    expect(await migrate()).toContain('"msg":"migrated"');
    worker = await start('worker');
    gateways = await Promise.all([start('gateway'), start('gateway')]);
  }, 60_000);

  afterAll(async () => {
    for (const server of [...gateways, worker]) await server.kill();
    await redis.stop();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  const addressOf = (gateway: number): string => gateways[gateway]?.address ?? '';

  it('tell a player on each gateway what the worker has fired, once and in order', async () => {
    const phone = await joinHome(addressOf(0));
    const tablet = await joinHome(addressOf(1), { token: phone.token, join: { afterSeq: 0 } });
    const { petId = '' } = await phone.ask('home:adopt', { name: 'Rex', species: 'dog' });
    await tablet.ask('home:feed', { petId, food: 'dog-food' });
    await phone.ask('home:use-card', { petId, card: 'auto-feed', count: 2 });
    for (const device of [phone, tablet]) {
      const end = await device.saw((event) => event.type === 'feeding-completed' && event.totalXp === 30);
      const seqs = device.events.map((event) => event.seq);
      expect(seqs).toEqual(seqs.map((_, at) => (seqs[0] ?? 0) + at));
      expect(seqs.at(-1)).toBe(end.seq);
      expect(device.state.pets.get(petId)).toMatchObject({ xp: 30, food: '' });
    }
    await Promise.all([phone.room.leave(), tablet.room.leave()]);
  });

  it('find what no message told of, within seconds, and outlive a Redis that refuses their subscriptions', async () => {
    const player = await joinHome(addressOf(0));
    const { petId = '' } = await player.ask('home:adopt', { name: 'Rex', species: 'dog' });
    const admin = new Redis(redis.url);
    // Without the right to any channel Redis ends the subscriptions and takes no new ones: no message arrives.
    await admin.call('ACL', 'SETUSER', 'default', 'resetchannels');
    onTestFinished(async () => {
      await admin.call('ACL', 'SETUSER', 'default', 'allchannels');
      admin.disconnect();
    });
    await player.ask('home:feed', { petId, food: 'dog-food' });
    const done = await player.saw((event) => event.type === 'feeding-completed');
    expect(done.seq).toBe(4);
    await player.room.leave();
  });

  it('answer probes, the worker too, which has no page', async () => {
    for (const { address } of [...gateways, worker]) expect((await fetch(`${address}/readyz`)).status).toBe(200);
    expect((await fetch(worker.address)).status).toBe(404);
  });

  it('show their metrics to operators alone, and the rows once: on the worker', async () => {
    const headers = { authorization: 'Bearer Zx81kQmW4vTn7LrB2yHcD5sJ' };
    const scrape = async (address: string) => (await fetch(`${address}/metrics`, { headers })).text();
    expect((await fetch(`${worker.address}/metrics`)).status).toBe(401);
    const [ofWorker, ofGateway] = [await scrape(worker.address), await scrape(addressOf(0))];
    expect(valueIn(ofWorker, 'kibble_timers_pending')).toBeGreaterThanOrEqual(0);
    expect(valueIn(ofWorker, 'kibble_shards_held')).toBe(16);
    expect(valueIn(ofWorker, 'kibble_index_available', { index: 'redis' })).toBe(1);
    expect(valueIn(ofGateway, 'kibble_timers_pending')).toBeUndefined();
    expect(valueIn(ofGateway, 'kibble_shards_held')).toBe(0);
  });
});
