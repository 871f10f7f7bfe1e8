--[[ ack: delete deliveries of one shard, from the group and the stream together. An entry that remained only in the
stream would count as the oldest unacked one forever.

KEYS[1] hand-off stream
ARGV[1] group      ARGV[2..] ids, at most 1000
Returns how many existed. ]]
redis.call('XACK', KEYS[1], unpack(ARGV))
return redis.call('XDEL', KEYS[1], unpack(ARGV, 2))
