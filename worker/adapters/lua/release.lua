#!lua flags=allow-oom
-- Ends a lease that took no turns out of the inbox, and with it what was parked and is settled now.
-- KEYS  turns meta parked lease busy due attempts counters aside
-- ARGV  scope key, fencing token, then ids
-- Gives 1, or 0 if the lease is another's
local turns, meta, parked, lease, busy, due, attempts, counters, aside = unpack(KEYS)
local scope = ARGV[1]
if redis.call('HGET', lease, scope) ~= ARGV[2] then return 0 end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local gone = 0
for at = 3, #ARGV do gone = gone + redis.call('HDEL', parked, ARGV[at]) end
if gone > 0 then
  redis.call('HINCRBY', counters, 'parked', -gone)
  redis.call('HINCRBY', counters, 'settled', gone)
end
if redis.call('EXISTS', parked) == 0 then redis.call('ZREM', aside, scope) end
if redis.call('HINCRBY', attempts, scope, -1) <= 0 then redis.call('HDEL', attempts, scope) end
if redis.call('LLEN', turns) > 0 then
  local hold = tonumber(redis.call('HGET', meta, 'hold') or now)
  redis.call('ZADD', due, math.max(now, hold), scope)
end
redis.call('ZREM', busy, scope)
redis.call('HDEL', lease, scope)
return 1
