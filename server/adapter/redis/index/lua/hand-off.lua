--!df flags=allow-undeclared-keys
--[[ hand-off: move the earliest due timers of one shard out of both orders into its stream.
KEYS[1] due ZSET          "timerId:owner" -> score
KEYS[2] hand-off stream   fields timerId -> owner, several timers an entry
ARGV[1] bound: scores below it are due      ARGV[2] limit, at most 1000      ARGV[3] timers a stream entry
ARGV[4] prefix of the owners' ZSETs    "timerId" -> score     (undeclared keys: they carry the shard's hash tag)
ARGV[5] wake channel      ARGV[6] generation and shard
Returns { moved, score of the new head or false }. ]]
local due, stream = KEYS[1], KEYS[2]
local size = tonumber(ARGV[3]) * 2

local members = redis.call('ZRANGEBYSCORE', due, '-inf', '(' .. ARGV[1], 'LIMIT', 0, ARGV[2])

if #members > 0 then
  local fields = {}
  for at, member in ipairs(members) do
    local colon = string.find(member, ':', 1, true)
    local id, owner = string.sub(member, 1, colon - 1), string.sub(member, colon + 1)
    redis.call('ZREM', ARGV[4] .. owner, id)
    fields[#fields + 1] = id
    fields[#fields + 1] = owner
    if #fields == size or at == #members then
      redis.call('XADD', stream, '*', unpack(fields))
      fields = {}
    end
  end
  redis.call('ZREM', due, unpack(members))
  -- A hint: without the right to the channel nothing else fails.
  redis.pcall('PUBLISH', ARGV[5], 'delivery ' .. ARGV[6])
end

return { #members, redis.call('ZRANGE', due, 0, 0, 'WITHSCORES')[2] or false }
