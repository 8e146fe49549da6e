#!lua flags=allow-oom
-- Adds to what a scope has asked of models today (UTC), and tells it; a new day begins at nothing.
-- KEYS  spent
-- ARGV  calls, tokens, seconds after which the figures are forgotten
-- Gives calls, tokens, ms since midnight
local spent = KEYS[1]
local time = redis.call('TIME')
local day = tostring(math.floor(time[1] / 86400))
local ms = (time[1] % 86400) * 1000 + math.floor(time[2] / 1000)
local calls, tokens = tonumber(ARGV[1]), tonumber(ARGV[2])
if redis.call('HGET', spent, 'day') == day then
  calls = calls + tonumber(redis.call('HGET', spent, 'calls') or 0)
  tokens = tokens + tonumber(redis.call('HGET', spent, 'tokens') or 0)
end
if ARGV[1] ~= '0' or ARGV[2] ~= '0' then
  redis.call('HSET', spent, 'day', day, 'calls', calls, 'tokens', tokens)
  redis.call('EXPIRE', spent, ARGV[3])
end
return {calls, tokens, ms}
