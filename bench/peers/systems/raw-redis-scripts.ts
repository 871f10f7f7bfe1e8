// KEYS of the first four: due ZSET, owner's ZSET. ARGV: timer, then a time or a difference in ms. They answer 0 where
// nothing waits under the name.

export const schedule = `
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
return 1`;

export const move = `
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
return 1`;

export const shift = `
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 0 end
redis.call('ZINCRBY', KEYS[1], ARGV[2], ARGV[1])
redis.call('ZINCRBY', KEYS[2], ARGV[2], ARGV[1])
return 1`;

export const cancel = `
local removed = redis.call('ZREM', KEYS[1], ARGV[1])
if removed == 1 then redis.call('ZREM', KEYS[2], ARGV[1]) end
return removed`;

/** KEYS: due ZSET, then the owner's ZSET of each timer. ARGV: timer, time, repeated. */
export const bulkSchedule = `
local all = {}
for at = 1, #ARGV, 2 do
  all[#all + 1] = ARGV[at + 1]
  all[#all + 1] = ARGV[at]
  redis.call('ZADD', KEYS[(at + 1) / 2 + 1], ARGV[at + 1], ARGV[at])
end
redis.call('ZADD', KEYS[1], unpack(all))
return #ARGV / 2`;

/** KEYS: due ZSET, and a stream or none. ARGV: now, limit, prefix of the owners' ZSETs. Answers the timers it took. */
export const claim = `
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])
if #due == 0 then return due end
redis.call('ZREM', KEYS[1], unpack(due))
for _, timer in ipairs(due) do
  redis.call('ZREM', ARGV[3] .. string.match(timer, '^(%d+):'), timer)
  if KEYS[2] then redis.call('XADD', KEYS[2], '*', 'timer', timer) end
end
return due`;
