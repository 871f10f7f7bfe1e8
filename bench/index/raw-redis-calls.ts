import type { Redis } from 'ioredis';
import { ownerOf } from '../lateness/due-times.ts';
import { claim } from '../lateness/raw-redis.ts';
import type { TimerCalls } from './operations.ts';

/** KEYS: due ZSET. ARGV: prefix of the owners' ZSETs; then owner, timer, time, repeated. */
const put = `
local all = {}
for at = 2, #ARGV, 3 do
  all[#all + 1] = ARGV[at + 2]
  all[#all + 1] = ARGV[at + 1]
  redis.call('ZADD', ARGV[1] .. ARGV[at], ARGV[at + 2], ARGV[at + 1])
end
redis.call('ZADD', KEYS[1], unpack(all))`;

/** KEYS: due ZSET. ARGV: prefix of the owners' ZSETs; then owner, timer, repeated. */
const remove = `
local all = {}
for at = 2, #ARGV, 2 do
  all[#all + 1] = ARGV[at + 1]
  redis.call('ZREM', ARGV[1] .. ARGV[at], ARGV[at + 1])
end
redis.call('ZREM', KEYS[1], unpack(all))`;

type Script = (...args: (string | number)[]) => Promise<number>;

/** The physical limit: two ZSETs changed together by the least script, without fence, shards or wake-ups. */
export const rawRedisCalls = (redis: Redis): TimerCalls => {
  redis.defineCommand('rawPut', { numberOfKeys: 1, lua: put });
  redis.defineCommand('rawRemove', { numberOfKeys: 1, lua: remove });
  redis.defineCommand('rawClaim', { numberOfKeys: 2, lua: claim });
  const scripts = redis as unknown as Record<'rawPut' | 'rawRemove' | 'rawClaim', Script>;
  const timer = (id: number): string => `${ownerOf(id)}:${id}`;
  return {
    put: (ids, atMs) =>
      scripts.rawPut('raw:due', 'raw:owner:', ...ids.flatMap((id, at) => [ownerOf(id), timer(id), atMs[at] ?? 0])),
    remove: (ids) => scripts.rawRemove('raw:due', 'raw:owner:', ...ids.flatMap((id) => [ownerOf(id), timer(id)])),
    handOff: () => scripts.rawClaim('raw:due', 'raw:stream', Date.now(), 500, 'raw:owner:'),
  };
};
