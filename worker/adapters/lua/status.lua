#!lua flags=allow-oom
-- The figures of one partition, at one moment.
-- KEYS  due busy counters
-- Gives {pending turns, parked turns, waiting scopes, busy scopes, ready scopes, ms that the oldest is ready}
local due, busy, counters = unpack(KEYS)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local figures = redis.call('HMGET', counters, 'pending', 'parked')
local oldest = redis.call('ZRANGE', due, 0, 0, 'WITHSCORES')[2]
local expired = redis.call('ZRANGE', busy, 0, 0, 'WITHSCORES')[2]
local since = math.min(tonumber(oldest or now), tonumber(expired or now), now)
return {
  tonumber(figures[1] or 0), tonumber(figures[2] or 0),
  redis.call('ZCARD', due), redis.call('ZCARD', busy),
  redis.call('ZCOUNT', due, '-inf', now) + redis.call('ZCOUNT', busy, '-inf', now),
  now - since,
}
