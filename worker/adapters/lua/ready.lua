#!lua flags=allow-oom
-- How many scopes of a partition a claim could take now, those of dead workers included.
-- KEYS  due busy
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
return redis.call('ZCOUNT', KEYS[1], '-inf', now) + redis.call('ZCOUNT', KEYS[2], '-inf', now)
