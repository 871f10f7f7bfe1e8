--[[ finish-rebuild: declare one shard whole, unless it was lost or retired since the rebuild began.

KEYS[1] mark   "rebuilding", or the pulse of a whole shard
Returns 1 when the shard is whole now, else 0. ]]
local mark = redis.call('GET', KEYS[1])
if mark == 'rebuilding' then redis.call('SET', KEYS[1], 0) end
return mark and 1 or 0
