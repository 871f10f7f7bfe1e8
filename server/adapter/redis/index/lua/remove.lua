--!df flags=allow-undeclared-keys
--[[ remove: delete timers of one shard from its order and their owners' orders.
An entry with a newer revision than the removal's stays. An entry that only the owner's order has is deleted.
KEYS[1] due ZSET          "timerId:owner" -> score
ARGV[1] prefix of the owners' ZSETs    "timerId" -> score     (undeclared keys: they carry the shard's hash tag)
ARGV[2..] timerId, owner, revision mod 2048; repeated, at most 1000 times
Returns how many were removed. ]]
local REVISIONS = 2048
local due, count = KEYS[1], 0

for at = 2, #ARGV, 3 do
  local id, owner, revision = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2])
  local member = id .. ':' .. owner
  local present = redis.call('ZSCORE', due, member)
  if not present or (revision - tonumber(present) % 1 * REVISIONS) % REVISIONS < REVISIONS / 2 then
    redis.call('ZREM', ARGV[1] .. owner, id)
    count = count + redis.call('ZREM', due, member)
  end
end
return count
