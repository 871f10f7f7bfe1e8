--[[ forget-consumers: delete the names of dead processes from one shard's group. One step checks and deletes, because
deleting a consumer also deletes its pending entries.

KEYS[1] hand-off stream
ARGV[1] group      ARGV[2] ms of silence
Returns how many were deleted. ]]
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
local count = 0
for _, flat in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])) do
  local consumer = {}
  for at = 1, #flat, 2 do consumer[flat[at]] = flat[at + 1] end
  if consumer.pending == 0 and consumer.idle >= tonumber(ARGV[2]) then
    redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], consumer.name)
    count = count + 1
  end
end
return count
