import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { random } from '../../../server/adapter/machine/random.ts';
import { systemClock } from '../../../server/adapter/machine/system-clock.ts';
import { createRedisClient } from '../../../server/adapter/redis/link/redis-client.ts';
import { RedisEventChannel } from '../../../server/adapter/redis/redis-event-channel.ts';
import { type Commit, commitOf } from '../../../server/home/model/commit.ts';
import { hash32 } from '../../../server/runtime/hash32.ts';
import { newHome } from '../../../shared/home.ts';

const url = inject('redisUrl');
const home = newHome('ann');
const commit = commitOf(home, home, { events: [], nowMs: 1, answers: [] });

describe.skipIf(url === '')('the channel of commits', () => {
  const client = createRedisClient(url);
  const prefix = random.uniqueName();
  let here: RedisEventChannel;
  let heard: Commit[];
  beforeEach(async () => {
    heard = [];
    here = new RedisEventChannel({
      client: createRedisClient(url),
      clock: systemClock,
      names: { prefix },
      process: 'here',
    });
    await here.start();
    here.subscribe('ann', (one) => heard.push(one));
  });
  afterEach(() => {
    here.stop();
    client.disconnect();
  });

  const say = (message: string): Promise<number> =>
    client.publish(`${prefix}:commits:${hash32('ann') % 64}`, `there ann ${message}`);

  it('passes over messages that are no commits of this version, and brings the next commit', async () => {
    await client.connect();
    const { touched: _, ...without } = commit;
    const others = [
      null,
      {},
      without,
      { ...commit, home: undefined },
      { ...commit, playerId: 'bob' },
      { ...commit, home: { ...home, things: { pets: null } } },
      { ...commit, touched: ['pets/ann~p1'] },
      { ...commit, events: [null] },
      { ...commit, answers: [{ commandId: 'command-1', fromSeq: 1 }] },
    ];
    for (const message of ['', '{', ...others.map((other) => JSON.stringify(other))]) {
      await vi.waitFor(async () => expect(await say(message)).toBe(1));
    }
    await say(JSON.stringify(commit));
    await vi.waitFor(() => expect(heard).toEqual([commit]));
  });
});
