#!lua flags=allow-oom
-- Makes scopes due at once that wait for quiet, some at a time; those that back off after a failure stay, unless told.
-- KEYS  due busy
-- ARGV  what scope keys begin with, scopes to pass over, most scopes, 1 for those that back off as well
-- Gives {scopes looked at, those of them that stay}
local due, busy = unpack(KEYS)
local scopes = ARGV[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local later = redis.call('ZRANGEBYSCORE', due, '(' .. string.format('%.0f', now), '+inf', 'LIMIT', ARGV[2], ARGV[3])
local stay = 0
for _, scope in ipairs(later) do
  local meta = scopes .. 'meta:' .. scope
  if ARGV[4] == '0' and redis.call('HEXISTS', meta, 'hold') == 1 then
    stay = stay + 1
  else
    redis.call('HSET', meta, 'flush', redis.call('LLEN', scopes .. 'turns:' .. scope))
    redis.call('HDEL', meta, 'hold')
    redis.call('ZADD', due, now, scope)
  end
end
if ARGV[2] == '0' then
  for _, scope in ipairs(redis.call('ZRANGE', busy, 0, -1)) do
    local waiting = redis.call('LLEN', scopes .. 'turns:' .. scope)
    if waiting > 0 then redis.call('HSET', scopes .. 'meta:' .. scope, 'flush', waiting) end
  end
end
return {#later, stay}
