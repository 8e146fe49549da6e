#!lua flags=allow-oom
-- Leases one scope by its key even while another holds it, who is fenced out; `release` ends it.
-- KEYS  turns due busy lease fence attempts
-- ARGV  scope key, lease in ms
-- Gives {fencing token, attempt, 1 if another held it until now, turns that wait}
local turns, due, busy, lease, fence, attempts = unpack(KEYS)
local scope = ARGV[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local ends = tonumber(redis.call('ZSCORE', busy, scope) or 0)
-- As in `claim`.
local last = tonumber(redis.call('GET', fence) or 0)
local token = string.format('%.0f', math.max(last + 1, time[1] * 1000000 + time[2]))
redis.call('SET', fence, token)
redis.call('HSET', lease, scope, token)
redis.call('ZADD', busy, now + ARGV[2], scope)
redis.call('ZREM', due, scope)
local held = ends > now and 1 or 0
-- What it was taken from has failed in nothing: its attempt is given back. A worker that fell silent has used one up.
local attempt = redis.call('HINCRBY', attempts, scope, 1 - held)
return {tonumber(token), attempt, held, redis.call('LLEN', turns)}
