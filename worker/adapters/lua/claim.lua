#!lua flags=allow-oom
-- Leases the scope that has been due longest; before that, scopes whose lease ran out go back to the line.
-- KEYS  due busy lease fence attempts config counters
-- ARGV  what scope keys begin with, lease in ms, default batch_turns
-- Gives {scope key, fencing token, attempt, turns of the batch} or nothing
local due, busy, lease, fence, attempts, config, counters = unpack(KEYS)
local scopes, lease_ms = ARGV[1], tonumber(ARGV[2])
local most = tonumber(redis.call('HGET', config, 'batch_turns') or ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function limit_of(scope)
  return math.min(most, tonumber(redis.call('HGET', scopes .. 'meta:' .. scope, 'limit') or most))
end

-- Bounded, so that one claim stays short however many workers died.
for _, scope in ipairs(redis.call('ZRANGEBYSCORE', busy, '-inf', now, 'LIMIT', 0, 20)) do
  local waiting = redis.call('LLEN', scopes .. 'turns:' .. scope)
  if waiting > 0 then
    redis.call('ZADD', due, now, scope)
    -- A kept plan pins its batch; otherwise the next attempt is half as large.
    if redis.call('EXISTS', scopes .. 'plan:' .. scope) == 0 then
      local half = math.max(1, math.floor(math.min(waiting, limit_of(scope)) / 2))
      redis.call('HSET', scopes .. 'meta:' .. scope, 'limit', half)
    end
  else
    redis.call('HDEL', attempts, scope)
  end
  redis.call('ZREM', busy, scope)
  redis.call('HDEL', lease, scope)
  redis.call('HINCRBY', counters, 'expired', 1)
end

for _ = 1, 20 do
  local scope = redis.call('ZRANGEBYSCORE', due, '-inf', now, 'LIMIT', 0, 1)[1]
  if not scope then return nil end
  if redis.call('EXISTS', scopes .. 'turns:' .. scope) == 1 then
    local token = redis.call('INCR', fence)
    redis.call('HSET', lease, scope, token)
    redis.call('ZADD', busy, now + lease_ms, scope)
    redis.call('ZREM', due, scope)
    redis.call('HDEL', scopes .. 'meta:' .. scope, 'hold')
    return {scope, token, redis.call('HINCRBY', attempts, scope, 1), limit_of(scope)}
  end
  redis.call('ZREM', due, scope)
  redis.call('HDEL', attempts, scope)
  redis.call('DEL', scopes .. 'meta:' .. scope)
end
return nil
