import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type ServerProcess, startServer } from '../../examples/support/server-process.ts';
import { joinHome } from '../support/game/player.ts';
import { createDatabase, type TestDatabase } from '../support/postgres/postgres-server.ts';
import { type RedisServer, startRedis } from '../support/redis/redis-server.ts';

describe.skipIf(!inject('redisUrl'))('a Redis user with the rights that SECURITY.md names', () => {
  let database: TestDatabase;
  let redis: RedisServer;
  let server: ServerProcess;

  beforeAll(async () => {
    database = await createDatabase(inject('postgresUrl'));
    redis = await startRedis();
    const page = readFileSync(path.join(import.meta.dirname, '../../SECURITY.md'), 'utf8');
    const [, rights = ''] = /`ACL SETUSER ([^`]+)`/.exec(page) ?? [];
    const admin = new Redis(redis.url);
    await admin.call('acl', 'setuser', ...rights.split(' '));
    await admin.quit();
    server = await startServer({
      PORT: '0',
      DATABASE_URL: database.url,
      REDIS_URL: redis.url.replace('redis://', 'redis://kibble:password@'),
      JWT_SECRET: 'k7Qz1v9XbT4mR8wLcY2nPdF6sJhA3gUe',
      OPS_TOKENS: 'op:admin:Zx81kQmW4vTn7LrB2yHcD5sJ',
    });
  });
  afterAll(async () => {
    await server?.stop();
    await redis?.stop();
    await database?.drop();
  });

  it('is enough to serve, with the index in use', async () => {
    const player = await joinHome(server.address);
    const { petId } = await player.ask('home:adopt', { name: 'Rex', species: 'dog' });
    await player.ask('home:feed', { petId, food: 'dog-food' });

    const ready = await fetch(`${server.address}/readyz`);

    expect(await ready.json()).toEqual({ ready: true, degraded: [] });
    expect(server.said()).not.toMatch(/NOPERM|redis\/away/);
    await player.room.leave();
  });

  it('and for nothing else', async () => {
    const client = new Redis(redis.url.replace('redis://', 'redis://kibble:password@'));

    for (const command of [
      ['set', 'other', '1'],
      ['flushall'],
      ['config', 'get', '*'],
      ['acl', 'list'],
      ['publish', 'other', '1'],
    ]) {
      await expect(client.call(command[0] ?? '', ...command.slice(1))).rejects.toThrow('NOPERM');
    }
    await client.quit();
  });
});
