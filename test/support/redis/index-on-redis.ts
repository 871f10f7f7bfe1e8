import { expect, onTestFinished, vi } from 'vitest';
import { random } from '../../../server/adapter/machine/random.ts';
import { systemClock } from '../../../server/adapter/machine/system-clock.ts';
import { RedisDueIndex } from '../../../server/adapter/redis/index/redis-due-index.ts';
import { createRedisClient } from '../../../server/adapter/redis/link/redis-client.ts';
import type { RedisTrouble } from '../../../server/adapter/redis/link/redis-trouble.ts';
import { RedisEventChannel } from '../../../server/adapter/redis/redis-event-channel.ts';
import { RedisLiveNodes } from '../../../server/adapter/redis/redis-live-nodes.ts';
import { type Commit, commitOf } from '../../../server/home/model/commit.ts';
import { newHome } from '../../../shared/home.ts';
import { beginGeneration, countOf } from '../engine/due-index.ts';

const NOW_MS = 1_790_000_000_000;
const SHARDS = 8;
const never = new AbortController().signal;

const entries = Array.from({ length: 200 }, (_, at) => ({
  timerId: String(at + 1),
  owner: `player-${at}`,
  fireAtMs: NOW_MS,
  revision: 1,
}));

/** An index with this REDIS_URL, started. */
export const startAt = async (url: string) => {
  const client = createRedisClient(url);
  const said: string[] = [];
  const report = (trouble: RedisTrouble | undefined): void => void (trouble && said.push(trouble.message));
  const [prefix, consumer] = [random.uniqueName(), random.uniqueName()];
  const index = new RedisDueIndex({ client, clock: systemClock, prefix, shards: SHARDS, consumer, report });
  onTestFinished(() => index.stop());
  await index.start('one');
  return { index, client, said, prefix, nodes: new RedisLiveNodes({ client, inUse: index.inUse, self: 'me' }) };
};
type Started = Awaited<ReturnType<typeof startAt>>;

/** Each part of the index does its work, in all shards. */
export const works = async ({ index, nodes }: Started): Promise<void> => {
  let isWoken = false;
  index.handOffs.onEarlierHead(() => {
    isWoken = true;
  });
  // The connection for hints may come back after the others; a lost hint does not come again.
  await vi.waitFor(
    async () => {
      await beginGeneration(index, { number: index.inUse.number + 1, shards: SHARDS });
      expect(await index.orders.put(entries)).toBe(true);
      await vi.waitFor(() => expect(isWoken).toBe(true));
    },
    { timeout: 20_000 },
  );
  expect(await countOf(index)).toBe(entries.length);
  for (let shard = 0; shard < SHARDS; shard += 1) await index.handOffs.handOff(shard, NOW_MS, 500);
  const received = await index.queue.receive(10_000, 0, never);
  expect(received.flatMap(({ timers }) => timers)).toHaveLength(entries.length);
  await index.queue.ack(received);
  expect(await nodes.heartbeat()).toEqual(['me']);
};

/** A process receives the messages of another one on this Redis. */
export const talks = async (url: string): Promise<void> => {
  const channel = async (process: string) => {
    const made = new RedisEventChannel({
      client: createRedisClient(url),
      clock: systemClock,
      names: { prefix: 'talk' },
      process,
    });
    onTestFinished(() => made.stop());
    await made.start();
    return made;
  };
  const [here, there] = [await channel('here'), await channel('there')];
  const heard: Commit[] = [];
  there.subscribe('ann', (commit) => heard.push(commit));
  const home = newHome('ann');
  const commit = commitOf(home, home, { events: [], nowMs: NOW_MS, answers: [] });
  await vi.waitFor(() => {
    here.publish(commit);
    expect(heard[0]).toEqual(commit);
  });
};
