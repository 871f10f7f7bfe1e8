--[[ extend-lease: deliveries of one shard that this consumer still works on count as received just now. Deliveries that
another consumer has taken over stay with it.

KEYS[1] hand-off stream
ARGV[1] group      ARGV[2] consumer      ARGV[3..] ids, at most 1000
Returns how many still belong to this consumer. ]]
local count = 0
for at = 3, #ARGV do
  local id = ARGV[at]
  if #redis.call('XPENDING', KEYS[1], ARGV[1], id, id, 1, ARGV[2]) > 0 then
    redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, id, 'JUSTID')
    count = count + 1
  end
end
return count
