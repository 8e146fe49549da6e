#!lua flags=allow-oom
-- Prolongs a lease.
-- KEYS  lease busy
-- ARGV  scope key, fencing token, lease in ms
-- Gives 1, or 0 if the lease is another's
local lease, busy = unpack(KEYS)
local scope = ARGV[1]
if redis.call('HGET', lease, scope) ~= ARGV[2] then return 0 end
local time = redis.call('TIME')
redis.call('ZADD', busy, time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[3], scope)
return 1
