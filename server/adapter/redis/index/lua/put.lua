--!df flags=allow-undeclared-keys
--[[ put: add timers of one shard to its order and their owners' orders, or move them; both orders agree afterwards.
An entry with a newer revision stays. Publishes to the wake channel if the shard has an earlier head.
A shard without a mark accepts nothing: its generation has ended or has not begun, and the later refill reads the rows.
KEYS[1] due ZSET          "timerId:owner" -> score      KEYS[2] mark
ARGV[1] prefix of the owners' ZSETs    "timerId" -> score     (undeclared keys: they carry the shard's hash tag)
ARGV[2] wake channel      ARGV[3] generation and shard
ARGV[4..] timerId, owner, score; repeated, at most 1000 times, no timer twice
A score is fireAtMs + (revision mod 2048) / 2048, made by the caller: Lua prints doubles with only 14 digits.
Returns how many were added or moved, or -1 if nothing is accepted. ]]
if redis.call('EXISTS', KEYS[2]) == 0 then return -1 end
local REVISIONS = 2048
local due, wanted, count = KEYS[1], {}, 0

local before = redis.call('ZRANGE', due, 0, 0, 'WITHSCORES')[2]

for at = 4, #ARGV, 3 do
  local id, owner, score = ARGV[at], ARGV[at + 1], ARGV[at + 2]
  local member = id .. ':' .. owner
  local present = redis.call('ZSCORE', due, member)
  -- Newer by serial-number arithmetic: less than half of the circle ahead.
  if not present or ((tonumber(score) - tonumber(present)) * REVISIONS) % REVISIONS < REVISIONS / 2 then
    wanted[count * 2 + 1], wanted[count * 2 + 2] = score, member
    count = count + 1
    redis.call('ZADD', ARGV[1] .. owner, score, id)
  end
end

if count > 0 then
  redis.call('ZADD', due, unpack(wanted))
  local after = redis.call('ZRANGE', due, 0, 0, 'WITHSCORES')[2]
  if not before or tonumber(after) < tonumber(before) then
    -- A hint: without the right to the channel nothing else fails.
    redis.pcall('PUBLISH', ARGV[2], 'head ' .. ARGV[3] .. ' ' .. after)
  end
end
return count
