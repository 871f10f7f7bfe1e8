--[[ heartbeat: record that a node lives, and delete nodes that were silent for too long.

KEYS[1] nodes ZSET   name -> this server's time of the last heartbeat, ms
ARGV[1] name         ARGV[2] silence after which a node counts as dead, ms
Returns the names of the live nodes. ]]
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)

redis.call('ZADD', KEYS[1], nowMs, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', nowMs - ARGV[2])
-- After a failover to a server with a clock that is behind, a dead node's heartbeat would lie in the future for that time.
redis.call('ZREMRANGEBYSCORE', KEYS[1], '(' .. nowMs, '+inf')
return redis.call('ZRANGE', KEYS[1], 0, -1)
