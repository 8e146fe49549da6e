#!lua flags=allow-oom
-- Takes the scope that has been due for sleep longest; before that, scopes whose sleeper fell silent go back to the line,
-- later each time in a row, and of those that were called to sleep some more are due.
-- KEYS  sleep asleep called cut_short
-- ARGV  what scope keys begin with, ms after which a silent sleeper is lost, scopes that are called at once, the most ms
--       that one waits whose sleepers are lost
-- Gives {scope key, µs since 1970, ms at which it is lost, ms of its last turn or nothing, turns that wait}, or nothing
local sleep, asleep, called, cut_short = unpack(KEYS)
local scopes, lost_ms, portion, most_ms = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- Bounded, so that one claim stays short however many sleepers died. What kills whoever takes it up has to do so rarely.
for _, scope in ipairs(redis.call('ZRANGEBYSCORE', asleep, '-inf', now, 'LIMIT', 0, 20)) do
  local times = redis.call('HINCRBY', cut_short, scope, 1)
  redis.call('ZADD', sleep, 'LT', now + math.min(lost_ms * (2 ^ (times - 1) - 1), most_ms), scope)
  redis.call('ZREM', asleep, scope)
end

local left = tonumber(redis.call('GET', called) or 0)
if left > 0 then
  local most = math.min(left, portion)
  local later = redis.call('ZRANGEBYSCORE', sleep, '(' .. string.format('%.0f', now), '+inf', 'LIMIT', 0, most)
  for _, scope in ipairs(later) do redis.call('ZADD', sleep, now, scope) end
  if #later < most or left == most then redis.call('DEL', called) else redis.call('SET', called, left - most) end
end

for _ = 1, 20 do
  local scope = redis.call('ZRANGEBYSCORE', sleep, '-inf', now, 'LIMIT', 0, 1)[1]
  if not scope then return nil end
  local lost_at = tonumber(redis.call('ZSCORE', asleep, scope))
  if lost_at then
    -- It changed while it sleeps: again after that.
    redis.call('ZADD', sleep, lost_at, scope)
  else
    lost_at = now + lost_ms
    redis.call('ZREM', sleep, scope)
    redis.call('ZADD', asleep, lost_at, scope)
    local last = redis.call('ZRANGE', scopes .. 'seen:' .. scope, 0, 0, 'REV', 'WITHSCORES')[2]
    local waiting = redis.call('LLEN', scopes .. 'turns:' .. scope)
    return {scope, time[1] * 1000000 + time[2], lost_at, last or false, waiting}
  end
end
return nil
