#!lua flags=allow-oom
-- Makes one scope due at once.
-- KEYS  turns meta due busy
-- ARGV  scope key
-- Gives the number of turns that this covers
local turns, meta, due, busy = unpack(KEYS)
local waiting = redis.call('LLEN', turns)
if waiting == 0 then return 0 end
redis.call('HSET', meta, 'flush', waiting)
if redis.call('ZSCORE', busy, ARGV[1]) then return waiting end
redis.call('HDEL', meta, 'hold')
local time = redis.call('TIME')
redis.call('ZADD', due, 'LT', time[1] * 1000 + math.floor(time[2] / 1000), ARGV[1])
return waiting
