--[[ ack: forget deliveries of one shard, in the group and in the stream. Together: an entry that is left in the stream
alone would pass for the oldest one that nobody acked, for ever.

KEYS[1] hand-off stream
ARGV[1] group      ARGV[2..] ids, at most 1000
Returns how many were there. ]]
redis.call('XACK', KEYS[1], unpack(ARGV))
return redis.call('XDEL', KEYS[1], unpack(ARGV, 2))
