#!lua flags=allow-oom
-- Leases one scope by its key, whether or not it has turns; `release` ends it.
-- KEYS  due busy lease fence attempts
-- ARGV  scope key, lease in ms
-- Gives {fencing token, attempt}, or nothing where another holds it
local due, busy, lease, fence, attempts = unpack(KEYS)
local scope = ARGV[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local held = redis.call('ZSCORE', busy, scope)
if held and tonumber(held) > now then return nil end
-- As in `claim`.
local last = tonumber(redis.call('GET', fence) or 0)
local token = string.format('%.0f', math.max(last + 1, time[1] * 1000000 + time[2]))
redis.call('SET', fence, token)
redis.call('HSET', lease, scope, token)
redis.call('ZADD', busy, now + ARGV[2], scope)
redis.call('ZREM', due, scope)
return {tonumber(token), redis.call('HINCRBY', attempts, scope, 1)}
