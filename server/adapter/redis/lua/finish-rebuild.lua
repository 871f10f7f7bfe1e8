--[[ finish-rebuild: declare one shard whole, unless it was lost since the rebuild began.

KEYS[1] generation
ARGV[1] mark that the rebuild left at its beginning      ARGV[2] number of the generation
Returns 1 when the shard is whole now, else 0. ]]
local mark = redis.call('GET', KEYS[1])
if mark == ARGV[1] then redis.call('SET', KEYS[1], ARGV[2]) end
return (mark == ARGV[1] or mark == ARGV[2]) and 1 or 0
