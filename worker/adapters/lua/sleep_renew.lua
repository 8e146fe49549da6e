#!lua flags=allow-oom
-- A sleeper is still there.
-- KEYS  asleep
-- ARGV  scope key, ms at which it would be lost, ms after which it is from now on
-- Gives when that is, or nothing where the scope is another's by now
if tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1])) ~= tonumber(ARGV[2]) then return nil end
local time = redis.call('TIME')
local lost_at = time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[3]
redis.call('ZADD', KEYS[1], lost_at, ARGV[1])
return lost_at
