--[[ open-stream: make one shard's stream and its consumer group, where they are missing. Not in a generation that is
over: what a process leaves there that has not noticed would stay.

KEYS[1] hand-off stream      KEYS[2] mark
ARGV[1] group
Returns 1 when stream and group are there now, else 0. ]]
if redis.call('EXISTS', KEYS[2]) == 0 then return 0 end
local made = redis.pcall('XGROUP', 'CREATE', KEYS[1], ARGV[1], '0', 'MKSTREAM')
if made.err and not string.find(made.err, 'BUSYGROUP', 1, true) then return made end
return 1
