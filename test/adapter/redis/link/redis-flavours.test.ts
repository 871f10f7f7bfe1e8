import { Redis } from 'ioredis';
import { beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { createTimers, silent } from '../../../../server/timers.ts';
import { tries } from '../../../proof/table/tries.ts';
import { hostDatabase } from '../../../support/postgres/host-database.ts';
import { prove } from '../../../support/properties/prove.ts';
import { startAt, talks, works } from '../../../support/redis/index-on-redis.ts';
import { startRedisCluster } from '../../../support/redis/redis-cluster.ts';
import { flavours, foundFlavour, startRedis } from '../../../support/redis/redis-server.ts';

/** The last one, Redict, is a Redis 7 by another name. */
const names = (Object.keys(flavours) as (keyof typeof flavours)[]).slice(0, tries({ test: 2, proof: 3 }));

describe.skipIf(inject('redisUrl') === '').each(names)('%s', { timeout: 240_000 }, (name) => {
  let program: ReturnType<typeof foundFlavour>;
  beforeAll(() => {
    program = foundFlavour(name);
  }, 240_000);

  it('does all that the index and the pushes ask of it, and says what it is', async (context) => {
    const { binary, reason } = program;
    if (!binary) return context.skip(reason);
    const server = await startRedis({ binary });
    onTestFinished(() => server.stop());
    const client = new Redis(server.url);
    onTestFinished(() => client.disconnect());
    const own = {
      'Redis 8.0': 'redis_version:8.0',
      'Valkey 8.1': 'valkey_version:8.1',
      'Redict 7.3': 'redict_version:7.3',
    };
    expect(await client.info('server')).toContain(own[name]);

    const started = await startAt(server.url);
    await works(started);
    await talks(server.url);
    expect(started.said).toEqual([]);
    prove(context, { row: 31, tries: 1, of: 'flavours of Redis' });
  });

  it('fires the timers of a game: those that one process writes, in another one', async ({ skip }) => {
    const { binary, reason } = program;
    if (!binary) return skip(reason);
    const server = await startRedis({ binary });
    onTestFinished(() => server.stop());
    const { pool } = await hostDatabase();
    const fired: string[] = [];
    const call = async ({ subject }: { readonly subject: string }) => void fired.push(subject);
    const processes = [true, false].map((fires) =>
      createTimers({ pool, redis: server.url, fires, log: silent, kinds: [{ kind: 'letter', call }] }),
    );
    for (const { lifecycle } of processes) {
      await lifecycle.boot();
      onTestFinished(() => lifecycle.shutdown());
    }
    const [firing, writing] = processes;
    await writing?.timers.schedule([{ kind: 'letter', subject: 'a', owner: 'ann', inMs: 50 }]);
    await vi.waitFor(() => expect(fired).toEqual(['a']), { timeout: 20_000 });
    expect([firing, writing].map((one) => one?.health.degraded())).toEqual([[], []]);
  });

  it('is used as a Cluster, by one of its addresses', async ({ skip }) => {
    const { binary, reason } = program;
    if (!binary) return skip(reason);
    const cluster = await startRedisCluster({ binary });
    onTestFinished(() => cluster.stop());
    const [one = ''] = cluster.url.split(',');
    const started = await startAt(one);
    await works(started);
    await talks(one);
    expect(started.said).toEqual([]);
  });
});
