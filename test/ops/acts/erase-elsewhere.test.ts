import { describe, expect, inject, it } from 'vitest';
import { random } from '../../../server/adapter/machine/random.ts';
import { systemClock } from '../../../server/adapter/machine/system-clock.ts';
import { Database } from '../../../server/adapter/postgres/database.ts';
import { PostgresAuditStore } from '../../../server/adapter/postgres/ops/audit-store.ts';
import { PostgresEraseStore } from '../../../server/adapter/postgres/ops/erase-store.ts';
import { createRedisClient } from '../../../server/adapter/redis/link/redis-client.ts';
import { RedisEventChannel } from '../../../server/adapter/redis/redis-event-channel.ts';
import type { HomeService } from '../../../server/home/home-service.ts';
import type { Commit } from '../../../server/home/model/commit.ts';
import { erase } from '../../../server/ops/acts/merge-erase.ts';
import { newHome } from '../../../shared/home.ts';
import { petsOf } from '../../../shared/pets/pet.ts';
import { homeDatabase } from '../../support/postgres/home-database.ts';

const redisUrl = inject('redisUrl');
const operator = { name: 'ada', role: 'admin' } as const;
const parts = { playerId: 'ann', timerId: '', jobId: '', kind: '', module: '' };
const write = { commandId: 'erase-command', reason: 'because of a test' };

/** Two processes on one database: in one the player is followed, by the other erased. */
const twoProcesses = async (channels: readonly RedisEventChannel[] = []) => {
  const database = await homeDatabase(inject('postgresUrl'));
  const [here, there] = [0, 1].map((at) => {
    const channel = channels[at];
    return database.service(channel ? { channel } : {});
  }) as [HomeService, HomeService];
  const command = { type: 'home:adopt', name: 'Rex', species: 'dog' } as const;
  await here.handle([{ playerId: 'ann', commandId: 'adopt-command', command }]);
  const { promise, resolve } = Promise.withResolvers<Commit>();
  const told: Commit[] = [];
  here.follow('ann', (commit) => {
    told.push(commit);
    if (commit.isErased) resolve(commit);
  });
  await here.look(['ann']);
  const { pool } = database;
  const stores = {
    erasures: new PostgresEraseStore(new Database({ pool, schema: 'kibble' })),
    audit: new PostgresAuditStore(new Database({ pool, schema: 'kibble' })),
  };
  return {
    database,
    here,
    there,
    told,
    erased: promise,
    erase: () => erase({ homes: there, inventory: {}, ...stores }, { operator, parts, input: write }),
  };
};

describe('a player who is erased by another process', () => {
  it.skipIf(redisUrl === '')('is told of by the channel at once', async () => {
    const prefix = random.uniqueName();
    const channels = [0, 1].map(
      (at) =>
        new RedisEventChannel({
          client: createRedisClient(redisUrl),
          clock: systemClock,
          names: { prefix },
          process: `process-${at}`,
        }),
    );
    for (const channel of channels) await channel.start();
    const { database, erase, erased } = await twoProcesses(channels);
    expect(await erase()).toMatchObject({ ok: true });
    expect(await erased).toMatchObject({ playerId: 'ann', isErased: true, home: { seq: 0 } });
    for (const channel of channels) channel.stop();
    await database.drop();
  });

  it('is noticed by the next look at followed players, when no message came', async () => {
    const { database, here, there, erase, told } = await twoProcesses();
    await erase();
    await here.watch.tick();
    expect(told.filter(({ isErased }) => isErased)).toHaveLength(1);
    await here.watch.tick();
    expect(told.filter(({ isErased }) => isErased)).toHaveLength(1);
    // Also when the new life has begun elsewhere by then.
    const command = { type: 'home:adopt', name: 'Tom', species: 'cat' } as const;
    await there.handle([{ playerId: 'ann', commandId: 'adopt-again', command }]);
    await here.watch.tick();
    expect(petsOf(told.at(-1)?.home ?? newHome(''))).toMatchObject([{ name: 'Tom' }]);
    await database.drop();
  });
});
