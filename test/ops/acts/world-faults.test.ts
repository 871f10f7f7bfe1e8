import { expect, inject, it, onTestFinished } from 'vitest';
import { startOpsServer, why } from '../../support/game/ops-server.ts';
import { startRedis } from '../../support/redis/redis-server.ts';

it('a write while Postgres is away is refused as one to send again, whatever the act reads first', async () => {
  const server = await startOpsServer(inject('postgresUrl'));
  onTestFinished(() => server.close());
  const connect = server.pool.connect.bind(server.pool);
  server.pool.connect = (() =>
    Promise.reject(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }))) as typeof connect;
  const writes = [
    await server.ask('erase', { playerId: 'ann' }, why()),
    await server.ask('freeze', { playerId: 'ann' }, why()),
    await server.ask('rebuild', {}, why()),
  ];
  server.pool.connect = connect;
  const unknown = { status: 503, body: { code: 'server/unavailable', params: { commandId: expect.any(String) } } };
  expect(writes).toMatchObject(writes.map(() => unknown));
});

it.skipIf(!inject('redisUrl'))('while Redis is away the overview has no age of a delivery', async () => {
  const redis = await startRedis();
  const server = await startOpsServer(inject('postgresUrl'), { redis: redis.url });
  onTestFinished(() => server.close());
  const seen = async () => {
    const { status, body } = await server.ask('overview');
    return [status, body.oldestUnackedMs];
  };
  await expect.poll(seen, { timeout: 20_000 }).toEqual([200, 0]);
  await redis.stop();
  await expect.poll(seen, { timeout: 20_000 }).toEqual([200, undefined]);
});
