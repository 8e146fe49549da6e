#!lua flags=allow-oom
-- The figures of one partition, at one moment.
-- KEYS  due busy counters bells sleep asleep
-- Gives {waiting scopes, busy scopes, ready scopes, expired leases, ms that the oldest is ready, doorbells out,
--        ms since the last error, what it was, scopes due for sleep, ms that the oldest of them is, scopes asleep}, then name, figure, … of the counters
local due, busy, counters, bells, sleep, asleep = unpack(KEYS)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local oldest = redis.call('ZRANGE', due, 0, 0, 'WITHSCORES')[2]
local expired = redis.call('ZRANGE', busy, 0, 0, 'WITHSCORES')[2]
local since = math.min(tonumber(oldest or now), tonumber(expired or now), now)
local lapsed = redis.call('ZCOUNT', busy, '-inf', now)
local known = redis.call('HMGET', counters, 'error_at', 'error')
local figures = {
  redis.call('ZCARD', due), redis.call('ZCARD', busy),
  redis.call('ZCOUNT', due, '-inf', now) + lapsed, lapsed,
  now - since, redis.call('ZCOUNT', bells, '(' .. string.format('%.0f', now), '+inf'),
  now - tonumber(known[1] or now), known[2] or '',
  redis.call('ZCOUNT', sleep, '-inf', now) + redis.call('ZCOUNT', asleep, '-inf', now),
  now - math.min(tonumber(redis.call('ZRANGE', sleep, 0, 0, 'WITHSCORES')[2] or now), now),
  redis.call('ZCOUNT', asleep, '(' .. string.format('%.0f', now), '+inf'),
}
-- A hash of some twenty fields, however much there is in the queue.
for _, each in ipairs(redis.call('HGETALL', counters)) do table.insert(figures, each) end
return figures
