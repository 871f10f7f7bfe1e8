--[[ probe: call each command that the index needs, so that a server that refuses one is not used. A write that needs
memory comes first: after any other write Redis allows it even without memory. SET also replaces what is left of a probe
that was refused.

Without the right to the channel the index works, but not as fast: PUBLISH is left out.
KEYS[1] a key for this alone, deleted at the end ]]
local key = KEYS[1]
redis.call('SET', key, '')
redis.call('UNLINK', key)
redis.call('ZADD', key, 1, 'a')
redis.call('ZRANGE', key, 0, 0)
redis.call('ZRANGEBYSCORE', key, 0, 0)
redis.call('ZMSCORE', key, 'a')
redis.call('ZSCORE', key, 'a')
redis.call('ZCOUNT', key, 0, 0)
redis.call('ZCARD', key)
redis.call('ZREM', key, 'a')
redis.call('ZREMRANGEBYSCORE', key, 0, 0)
redis.call('ZREMRANGEBYRANK', key, 0, 0)
redis.call('UNLINK', key)
redis.call('TIME')

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
