--[[ raise-pulse: raise one shard's pulse by one: a shard that was restored from an old copy stays behind.

KEYS[1] mark   "rebuilding", or the pulse of a whole shard
Returns the new pulse, or -1 if the shard is not whole. ]]
local mark = redis.call('GET', KEYS[1])
if not mark or mark == 'rebuilding' then return -1 end
return redis.call('INCR', KEYS[1])
