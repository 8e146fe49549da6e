#!lua flags=allow-oom
-- Calls all scopes to sleep that are to sleep later, once for each slot: some now, the others as scopes are claimed.
-- KEYS  sleep called slot
-- ARGV  ms for which the slot is remembered, scopes that are called at once
-- Gives how many there are, or nothing where the slot was called already
local sleep, called, slot = unpack(KEYS)
if not redis.call('SET', slot, 1, 'NX', 'PX', ARGV[1]) then return nil end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local after = '(' .. string.format('%.0f', now)
local all = redis.call('ZCOUNT', sleep, after, '+inf')
local later = redis.call('ZRANGEBYSCORE', sleep, after, '+inf', 'LIMIT', 0, ARGV[2])
for _, scope in ipairs(later) do redis.call('ZADD', sleep, now, scope) end
if all > #later then redis.call('SET', called, all - #later) end
return all
