--[[ open-stream: make one shard's stream and its consumer group, if they are missing. Not in an ended generation: a
process that has not noticed the end would leave entries there forever.

KEYS[1] hand-off stream      KEYS[2] mark
ARGV[1] group
Returns 1 if stream and group exist now, else 0. ]]
if redis.call('EXISTS', KEYS[2]) == 0 then return 0 end
local made = redis.pcall('XGROUP', 'CREATE', KEYS[1], ARGV[1], '0', 'MKSTREAM')
if made.err and not string.find(made.err, 'BUSYGROUP', 1, true) then return made end
return 1
