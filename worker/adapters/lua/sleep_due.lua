#!lua flags=allow-oom
-- Notes when a scope is due for sleep; an earlier time stands.
-- KEYS  sleep
-- ARGV  scope key, ms from now on (empty: not so), ms since 1970 (empty: not so)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if ARGV[2] ~= '' then redis.call('ZADD', KEYS[1], 'LT', now + ARGV[2], ARGV[1]) end
if ARGV[3] ~= '' then redis.call('ZADD', KEYS[1], 'LT', ARGV[3], ARGV[1]) end
