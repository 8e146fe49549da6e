#!lua flags=allow-oom
-- Parked turns are gone for good; published again they are taken like any other.
-- KEYS  seen parked counters aside
-- ARGV  scope key, then ids
-- Gives how many were there
local seen, parked, counters, aside = unpack(KEYS)
local gone = 0
for at = 2, #ARGV do
  local there = redis.call('HDEL', parked, ARGV[at])
  if there == 1 then redis.call('ZREM', seen, ARGV[at]) end
  gone = gone + there
end
if gone > 0 then redis.call('HINCRBY', counters, 'parked', -gone) end
if redis.call('EXISTS', parked) == 0 then redis.call('ZREM', aside, ARGV[1]) end
return gone
