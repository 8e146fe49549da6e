#!lua flags=allow-oom
-- Parked turns go back to the end of the inbox; those that are no longer parked are passed over.
-- KEYS  turns meta parked due busy counters aside
-- ARGV  scope key, then id, payload, tokens, …
-- Gives how many went back
local turns, meta, parked, due, busy, counters, aside = unpack(KEYS)
local scope = ARGV[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local waiting = redis.call('LLEN', turns)
local known = redis.call('HMGET', meta, 'since', 'out', 'hold')
local out, hold = tonumber(known[2] or 0), tonumber(known[3] or 0)
local back = 0
for at = 2, #ARGV, 3 do
  local id = ARGV[at]
  if redis.call('HEXISTS', parked, id) == 1 then
    -- Into the inbox first: an error further down must never lose a turn.
    local length = redis.call('RPUSH', turns, string.format('%.0f ', now) .. ARGV[at + 1])
    redis.call('HDEL', parked, id)
    redis.call('HSET', meta, 'again:' .. id, out + length)
    redis.call('HINCRBY', meta, 'tokens', ARGV[at + 2])
    back = back + 1
  end
end
if redis.call('EXISTS', parked) == 0 then redis.call('ZREM', aside, scope) end
if back == 0 then return 0 end
redis.call('HINCRBY', counters, 'parked', -back)
redis.call('HINCRBY', counters, 'pending', back)
redis.call('HINCRBY', counters, 'replayed', back)
if not known[1] then redis.call('HSET', meta, 'since', now) end
if waiting == 0 then redis.call('HSET', meta, 'first', now) end
redis.call('HSET', meta, 'flush', waiting + back)
if not redis.call('ZSCORE', busy, scope) then
  local place = redis.call('ZSCORE', due, scope)
  if not place or tonumber(place) > now then redis.call('ZADD', due, math.max(now, hold), scope) end
end
return back
