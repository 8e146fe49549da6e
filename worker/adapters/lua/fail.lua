#!lua flags=allow-oom
-- The lease ends without a commit; the scope may be claimed again after a while.
-- KEYS  turns meta plan lease busy due attempts config counters
-- ARGV  scope key, fencing token, back-off in ms, 1 if the attempt counts, default batch_turns, why (empty: for no error), 1 to halve
-- Gives 1, or 0 if the lease is another's
local turns, meta, plan, lease, busy, due, attempts, config, counters = unpack(KEYS)
local scope = ARGV[1]
if redis.call('HGET', lease, scope) ~= ARGV[2] then return 0 end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local hold = now + ARGV[3]
local waiting = redis.call('LLEN', turns)
if waiting > 0 then redis.call('ZADD', due, hold, scope) end
if ARGV[4] == '1' then
  redis.call('HINCRBY', counters, 'failed', 1)
end
if ARGV[6] ~= '' then redis.call('HSET', counters, 'error', ARGV[6], 'error_at', now, 'error_scope', scope) end
-- A kept plan pins its batch; otherwise the next attempt is half as large.
if (ARGV[4] == '1' or ARGV[7] == '1') and redis.call('EXISTS', plan) == 0 then
  local most = tonumber(redis.call('HGET', config, 'batch_turns') or ARGV[5])
  local limit = math.min(most, waiting, tonumber(redis.call('HGET', meta, 'limit') or most))
  redis.call('HSET', meta, 'limit', math.max(1, math.floor(limit / 2)))
end
if ARGV[4] == '0' and redis.call('HINCRBY', attempts, scope, -1) <= 0 then
  redis.call('HDEL', attempts, scope)
end
if waiting > 0 then
  redis.call('HSET', meta, 'hold', hold)
  if ARGV[4] == '0' and ARGV[6] ~= '' then redis.call('HINCRBY', meta, 'misses', 1) end
else
  redis.call('DEL', meta)
  redis.call('HDEL', attempts, scope)
end
redis.call('ZREM', busy, scope)
redis.call('HDEL', lease, scope)
return 1
