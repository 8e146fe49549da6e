#!lua flags=allow-oom
-- The first turns of a scope leave its inbox, consolidated or parked, and the lease ends.
-- KEYS  turns meta plan recent parked lease busy due attempts config counters aside sleep
-- ARGV  scope key, fencing token, turns, tokens, the defaults of batch_turns batch_tokens quiet_ms max_wait_ms,
--       ms for which recent turns live, when it is due for sleep: ms from now on, ms since 1970 (empty: not so); then
--       three lists, each after its length:
--       id, parked turn, …; conversation, recent turns, …; conversations to leave out of recent
-- Gives 1, or 0 if the lease is another's
local turns, meta, plan, recent, parked, lease, busy, due, attempts, config, counters, aside, sleep = unpack(KEYS)
local scope = ARGV[1]
if redis.call('HGET', lease, scope) ~= ARGV[2] then
  redis.call('HINCRBY', counters, 'stale', 1)
  return 0
end

local stored = redis.call('HMGET', config, 'batch_turns', 'batch_tokens', 'quiet_ms', 'max_wait_ms')
local function limit(at) return tonumber(stored[at] or ARGV[4 + at]) end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local next_at = 12
local function list()
  local from = next_at + 1
  next_at = from + tonumber(ARGV[next_at])
  return from, next_at - 1
end

-- Parked first: an error further down must never lose a turn.
local from, to = list()
local parting, fresh = (to - from + 1) / 2, 0
for at = from, to, 2 do fresh = fresh + redis.call('HSET', parked, ARGV[at], ARGV[at + 1]) end
if parting > 0 then redis.call('ZADD', aside, 'NX', now, scope) end
from, to = list()
for at = from, to, 2 do redis.call('HSET', recent, ARGV[at], ARGV[at + 1]) end
if to > from then redis.call('PEXPIRE', recent, ARGV[9]) end
from, to = list()
for at = from, to do redis.call('HDEL', recent, ARGV[at]) end

-- Before the turns go as well: one night too many is harmless.
if ARGV[10] ~= '' then redis.call('ZADD', sleep, 'LT', now + ARGV[10], scope) end
if ARGV[11] ~= '' then redis.call('ZADD', sleep, 'LT', ARGV[11], scope) end

local before = redis.call('LLEN', turns)
redis.call('LTRIM', turns, ARGV[3], -1)
local left = redis.call('LLEN', turns)
local gone = before - left
redis.call('DEL', plan)
redis.call('HINCRBY', counters, 'pending', -gone)
redis.call('HINCRBY', counters, 'settled', gone - parting)
if fresh > 0 then redis.call('HINCRBY', counters, 'parked', fresh) end

if left == 0 then
  redis.call('DEL', meta)
else
  local known = redis.call('HMGET', meta, 'tokens', 'limit', 'flush', 'out')
  local tokens = math.max(0, tonumber(known[1] or 0) - ARGV[4])
  local flush = math.max(0, tonumber(known[3] or 0) - gone)
  local first = tonumber(string.match(redis.call('LINDEX', turns, 0), '^%d+')) or now
  local last = tonumber(string.match(redis.call('LINDEX', turns, -1), '^%d+')) or now
  redis.call('HSET', meta, 'tokens', tokens, 'first', first, 'flush', flush, 'out', (known[4] or 0) + gone)
  local at = now
  if known[2] then
    -- Halved after a failure, the batch grows back step by step, and the rest has waited long enough.
    if known[2] * 2 >= limit(1) then redis.call('HDEL', meta, 'limit')
    else redis.call('HSET', meta, 'limit', known[2] * 2) end
  elseif flush == 0 and left < limit(1) and tokens < limit(2) then
    at = math.max(now, math.min(last + limit(3), first + limit(4)))
  end
  redis.call('ZADD', due, at, scope)
end
if left > 0 then redis.call('HDEL', meta, 'misses') end
redis.call('HDEL', attempts, scope)
redis.call('ZREM', busy, scope)
redis.call('HDEL', lease, scope)
return 1
