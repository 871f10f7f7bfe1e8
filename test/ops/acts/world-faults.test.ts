import { expect, inject, it, onTestFinished } from 'vitest';
import { startOpsServer, why } from '../../support/game/ops-server.ts';
import { type PuppetTurn, puppet } from '../../support/modules/puppet.ts';
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

it('a write that meets a lock in the code of the game is refused as one to send again', async () => {
  let isLocked = false;
  const inTransaction = async (tx: { query(text: string): Promise<unknown> }) => {
    if (isLocked) await tx.query("do $$ begin raise exception 'locked' using errcode = '55P03'; end $$");
  };
  const goOn = ({ id, items }: PuppetTurn) => (items.gold ? [{ type: 'gone', thing: id }] : []);
  const server = await startOpsServer(inject('postgresUrl'), { modules: [puppet('aa', { goOn, inTransaction })] });
  onTestFinished(() => server.close());
  await server.play('ann', { type: 'aa:say', events: [{ type: 'set', thing: 'x', sinceMs: 1 }] } as never);
  const gift = why({ items: { gold: 1 } });
  isLocked = true;
  expect(await server.ask('grant', { playerId: 'ann' }, gift)).toMatchObject({
    status: 503,
    body: { code: 'server/unavailable', params: { commandId: gift.commandId } },
  });
  isLocked = false;
  expect(await server.ask('grant', { playerId: 'ann' }, gift)).toMatchObject({ status: 200 });
  expect(server.faults).toEqual([]);
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
