#!lua flags=allow-oom
-- A scope sleeps no more; an earlier time at which it is due again stands.
-- KEYS  sleep asleep cut_short
-- ARGV  scope key, ms at which its sleeper would be lost, ms from now on (empty: not so), ms since 1970 (empty: not so)
-- Gives 1, or 0 where the scope is another's by now
local sleep, asleep, cut_short = unpack(KEYS)
if tonumber(redis.call('ZSCORE', asleep, ARGV[1])) ~= tonumber(ARGV[2]) then return 0 end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if ARGV[3] ~= '' then redis.call('ZADD', sleep, 'LT', now + ARGV[3], ARGV[1]) end
if ARGV[4] ~= '' then redis.call('ZADD', sleep, 'LT', ARGV[4], ARGV[1]) end
redis.call('ZREM', asleep, ARGV[1])
redis.call('HDEL', cut_short, ARGV[1])
return 1
