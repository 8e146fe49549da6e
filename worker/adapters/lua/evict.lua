#!lua flags=allow-oom
-- All that is kept of a scope goes but the turns that wait and the lease: `drop_turns` comes before, `release` ends it.
-- KEYS  plan seen recent spent parked lease attempts counters aside config sleep asleep cut_short
-- ARGV  scope key, fencing token, the default of seen_ms, then ids of turns that wait
-- Gives {turn ids, days of spending, parked turns} that went, or nothing if the lease is another's
local plan, seen, recent, spent, parked, lease, attempts, counters, aside, config, sleep, asleep, cut_short = unpack(KEYS)
local scope = ARGV[1]
if redis.call('HGET', lease, scope) ~= ARGV[2] then return nil end

-- What waits was published since: its ids stay known.
local arrived = {}
for at = 4, #ARGV do arrived[ARGV[at]] = redis.call('ZSCORE', seen, ARGV[at]) or nil end
local ids = redis.call('ZCARD', seen)
redis.call('DEL', seen)
for id, at in pairs(arrived) do
  redis.call('ZADD', seen, at, id)
  ids = ids - 1
end
redis.call('PEXPIRE', seen, redis.call('HGET', config, 'seen_ms') or ARGV[3])

local letters = redis.call('HLEN', parked)
local gone = {ids, redis.call('EXISTS', spent), letters}
redis.call('DEL', plan, recent, spent, parked)
redis.call('ZREM', aside, scope)
redis.call('ZREM', sleep, scope)
redis.call('ZREM', asleep, scope)
redis.call('HDEL', cut_short, scope)
if letters > 0 then redis.call('HINCRBY', counters, 'parked', -letters) end
-- The last error may repeat what was said.
if redis.call('HGET', counters, 'error_scope') == scope then
  redis.call('HDEL', counters, 'error', 'error_at', 'error_scope')
end
redis.call('HDEL', attempts, scope)
return gone
