--[[ probe: call each command that the index needs, so that a server that refuses one is not used. A write that needs
memory comes first: after any other write Redis allows it even without memory.

KEYS[1] a ZSET for this alone      KEYS[2] a key for this alone, of any type. Both are deleted at the end
ARGV[1] wake channel; its listeners ignore the message ]]
redis.call('ZADD', KEYS[1], 1, 'a')
redis.call('ZRANGE', KEYS[1], 0, 0)
redis.call('ZRANGEBYSCORE', KEYS[1], 0, 0)
redis.call('ZMSCORE', KEYS[1], 'a')
redis.call('ZSCORE', KEYS[1], 'a')
redis.call('ZCOUNT', KEYS[1], 0, 0)
redis.call('ZCARD', KEYS[1])
redis.call('ZREM', KEYS[1], 'a')
redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, 0)
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, 0)
redis.call('UNLINK', KEYS[1], KEYS[2])
redis.call('TIME')
redis.call('PUBLISH', ARGV[1], 'probe')

local key = KEYS[2]
redis.call('XGROUP', 'CREATE', key, 'g', '$', 'MKSTREAM')
local id = redis.call('XADD', key, '*', 'a', 1)
redis.call('XREADGROUP', 'GROUP', 'g', 'c', 'COUNT', 1, 'STREAMS', key, '>')
redis.call('XCLAIM', key, 'g', 'c', 0, id, 'JUSTID')
redis.call('XAUTOCLAIM', key, 'g', 'c', 0, '0', 'COUNT', 1)
redis.call('XPENDING', key, 'g')
redis.call('XINFO', 'CONSUMERS', key, 'g')
redis.call('XRANGE', key, '-', '+', 'COUNT', 1)
redis.call('XACK', key, 'g', id)
redis.call('XDEL', key, id)
redis.call('XGROUP', 'DELCONSUMER', key, 'g', 'c')
redis.call('UNLINK', key)
redis.call('INCR', key)
redis.call('EXISTS', key)
redis.call('GET', key)
redis.call('DEL', key)
