import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Sample } from '../harness/row.ts';
import { dueTimes, farTimes, ownerOf, type Plan } from './due-times.ts';
import { LatenessLog } from './lateness-log.ts';
import { dueKey, idOf, ownerPrefix, SHARDS, type Streams, shards, streamKey } from './raw-redis-keys.ts';

const LIMIT = 500;
const TIMERS_A_CALL = 500;

/** KEYS: due ZSET, stream. ARGV: now, limit, prefix of the owners' ZSETs. Moves due timers; returns how many. */
export const claim = `
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])
if #due == 0 then return 0 end
redis.call('ZREM', KEYS[1], unpack(due))
for _, timer in ipairs(due) do
  redis.call('ZREM', ARGV[3] .. string.match(timer, '^([^:]+):'), timer)
  redis.call('XADD', KEYS[2], '*', 'timer', timer)
end
return #due`;

/**
 * The physical limit: Redis driven by the least code with order, owners' ZSETs and hand-off, polled every millisecond
 * instead of woken.
 */
export const rawRedisLateness = async (url: string, pending: number, plan: Plan): Promise<Sample> => {
  const [writer, reader] = [new Redis(url), new Redis(url)];
  await writer.flushall();
  await put(writer, farTimes(pending), 0);
  const times = dueTimes(plan);
  const log = new LatenessLog(times);
  const stopping = new AbortController();
  const loops = [
    claimLoop(writer, stopping.signal),
    readLoop(reader, writer, stopping.signal, (id) => log.note(times.atMs[id - pending] ?? 0)),
  ];
  await put(writer, times.atMs, pending);
  try {
    return await log.sample();
  } finally {
    stopping.abort();
    await Promise.all(loops);
    writer.disconnect();
    reader.disconnect();
  }
};

const put = async (redis: Redis, fireAtMs: readonly number[], firstId: number): Promise<void> => {
  for (let from = 0; from < fireAtMs.length; from += TIMERS_A_CALL) {
    const pipeline = redis.pipeline();
    fireAtMs.slice(from, from + TIMERS_A_CALL).forEach((atMs, at) => {
      const id = firstId + from + at;
      const shard = Math.floor(id / 10) % SHARDS;
      const timer = `${ownerOf(id)}:${id}`;
      pipeline.zadd(dueKey(shard), atMs, timer).zadd(`${ownerPrefix(shard)}${ownerOf(id)}`, atMs, timer);
    });
    await pipeline.exec();
  }
};

const claimLoop = async (redis: Redis, signal: AbortSignal): Promise<void> => {
  redis.defineCommand('claim', { numberOfKeys: 2, lua: claim });
  const call = (redis as unknown as { claim(...args: (string | number)[]): Promise<number> }).claim.bind(redis);
  while (!signal.aborted) {
    const moved = await Promise.all(
      shards.map((shard) => call(dueKey(shard), streamKey(shard), Date.now(), LIMIT, ownerPrefix(shard))),
    );
    if (moved.every((count) => count === 0)) await sleep(1);
  }
};

const readLoop = async (
  reader: Redis,
  acker: Redis,
  signal: AbortSignal,
  onTimer: (id: number) => void,
): Promise<void> => {
  for (const shard of shards) await acker.xgroup('CREATE', streamKey(shard), 'group', '0', 'MKSTREAM');
  const keys = shards.map(streamKey);
  while (!signal.aborted) {
    const read = await reader.xreadgroup(
      ...(['GROUP', 'group', 'bench', 'COUNT', LIMIT, 'BLOCK', 200, 'STREAMS'] as const),
      ...keys,
      ...keys.map(() => '>'),
    );
    for (const [key, entries] of (read as Streams) ?? []) {
      for (const [, [, timer = '']] of entries) onTimer(idOf(timer));
      const ids = entries.map(([id]) => id);
      await Promise.all([acker.xack(key, 'group', ...ids), acker.xdel(key, ...ids)]);
    }
  }
};
