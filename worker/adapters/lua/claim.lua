#!lua flags=allow-oom
-- Leases the scope that has been due longest; before that, scopes whose lease ran out go back to the line.
-- KEYS  due busy lease fence attempts config counters
-- ARGV  what scope keys begin with, lease in ms, the defaults of batch_turns batch_tokens max_wait_ms
-- Gives {scope key, fencing token, attempt, turns of the batch} or nothing
local due, busy, lease, fence, attempts, config, counters = unpack(KEYS)
local scopes, lease_ms = ARGV[1], tonumber(ARGV[2])
local stored = redis.call('HMGET', config, 'batch_turns', 'batch_tokens', 'max_wait_ms')
local most = tonumber(stored[1] or ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function limit_of(scope)
  return math.min(most, tonumber(redis.call('HGET', scopes .. 'meta:' .. scope, 'limit') or most))
end

-- Why it is its turn, for status.
local function reason_of(scope, due_at)
  local known = redis.call('HMGET', scopes .. 'meta:' .. scope, 'hold', 'limit', 'flush', 'tokens', 'first')
  if known[1] or known[2] then return 'retry' end
  if tonumber(known[3] or 0) > 0 then return 'flush' end
  if redis.call('LLEN', scopes .. 'turns:' .. scope) >= most then return 'turns' end
  if tonumber(known[4] or 0) >= tonumber(stored[2] or ARGV[4]) then return 'tokens' end
  if due_at >= tonumber(known[5] or now) + tonumber(stored[3] or ARGV[5]) then return 'age' end
  return 'quiet'
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
  local scope, due_at = unpack(redis.call('ZRANGEBYSCORE', due, '-inf', now, 'WITHSCORES', 'LIMIT', 0, 1))
  if not scope then return nil end
  if redis.call('EXISTS', scopes .. 'turns:' .. scope) == 1 then
    -- By the clock too, so that tokens go on growing when Redis has lost its data. Exact: doubles are up to 2^53.
    local last = tonumber(redis.call('GET', fence) or 0)
    local token = string.format('%.0f', math.max(last + 1, time[1] * 1000000 + time[2]))
    redis.call('SET', fence, token)
    redis.call('HSET', lease, scope, token)
    redis.call('ZADD', busy, now + lease_ms, scope)
    redis.call('ZREM', due, scope)
    redis.call('HINCRBY', counters, 'due:' .. reason_of(scope, tonumber(due_at)), 1)
    if redis.call('EXISTS', scopes .. 'plan:' .. scope) == 1 then redis.call('HINCRBY', counters, 'plan_replays', 1) end
    redis.call('HDEL', scopes .. 'meta:' .. scope, 'hold')
    local misses = tonumber(redis.call('HGET', scopes .. 'meta:' .. scope, 'misses') or 0)
    return {scope, tonumber(token), redis.call('HINCRBY', attempts, scope, 1), limit_of(scope), misses}
  end
  redis.call('ZREM', due, scope)
  redis.call('HDEL', attempts, scope)
  redis.call('DEL', scopes .. 'meta:' .. scope)
end
return nil
