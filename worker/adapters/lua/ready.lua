#!lua flags=allow-oom
-- How many scopes of a partition a claim could take now, those of dead workers included.
-- KEYS  due busy
-- ARGV  only those that it could have taken for so many ms already; 0 unless given
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000) - (ARGV[1] or 0)
return redis.call('ZCOUNT', KEYS[1], '-inf', now) + redis.call('ZCOUNT', KEYS[2], '-inf', now)
