--!df flags=allow-undeclared-keys
--[[ drop: delete a part of one shard of an ended generation. The members of the order name the owners, so no search is
needed. The mark is deleted first: without it no new entry is accepted.
KEYS[1] due ZSET   "timerId:owner" -> score      KEYS[2] hand-off stream      KEYS[3] mark
ARGV[1] prefix of the owners' ZSETs    (undeclared keys: they carry the shard's hash tag)
ARGV[2] the most entries to delete
Returns how many keys and entries were deleted; 0: none is left. ]]
local gone = redis.call('UNLINK', KEYS[2], KEYS[3])
local members = redis.call('ZRANGE', KEYS[1], 0, ARGV[2] - 1)
if #members == 0 then return gone end

for _, member in ipairs(members) do
  local colon = string.find(member, ':', 1, true)
  redis.call('UNLINK', ARGV[1] .. string.sub(member, colon + 1))
end
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, #members - 1)
return gone + #members
