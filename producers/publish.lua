#!lua
-- Takes one turn into the inbox of its scope.
-- KEYS  turns meta seen due busy config counters   (of one scope and its partition, schemas/keys.py)
-- ARGV  scope key, turn id, payload, tokens, and the limits that hold until a worker has stored its own:
--       batch_turns batch_tokens quiet_ms max_wait_ms max_pending seen_ms
-- Gives {"accepted" | "duplicate" | "full", turns that wait, since, place}: with the last two, ticket.lua says when the turn
--       has left the inbox. Those of a duplicate are of the last turn that waits: the original is no later.
local turns, meta, seen, due, busy, config, counters = unpack(KEYS)
local scope, id, payload = ARGV[1], ARGV[2], ARGV[3]
local stored = redis.call('HMGET', config,
  'batch_turns', 'batch_tokens', 'quiet_ms', 'max_wait_ms', 'max_pending', 'seen_ms')
local function limit(at) return tonumber(stored[at] or ARGV[4 + at]) end

local waiting = redis.call('LLEN', turns)
if redis.call('ZSCORE', seen, id) then
  redis.call('HINCRBY', counters, 'duplicates', 1)
  local known = redis.call('HMGET', meta, 'since', 'out')
  return {'duplicate', waiting, tonumber(known[1] or 0), tonumber(known[2] or 0) + waiting}
end
if waiting >= limit(5) then
  redis.call('HINCRBY', counters, 'full', 1)
  return {'full', waiting, 0, 0}
end

-- The durable write is the first: an error further down must never leave "seen" without the turn.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('RPUSH', turns, string.format('%.0f ', now) .. payload)
redis.call('ZADD', seen, now, id)
redis.call('ZREMRANGEBYSCORE', seen, '-inf', now - limit(6))
redis.call('PEXPIRE', seen, limit(6))
redis.call('HINCRBY', counters, 'pending', 1)

-- Turns are counted for as long as any wait; `since` names that stretch, so a count is never taken for one of another.
local tokens, first, hold, since, out = tonumber(ARGV[4]), now, 0, now, 0
if waiting == 0 then
  redis.call('HSET', meta, 'tokens', tokens, 'first', now, 'since', now)
else
  tokens = redis.call('HINCRBY', meta, 'tokens', tokens)
  local known = redis.call('HMGET', meta, 'first', 'hold', 'since', 'out')
  first, hold, out = tonumber(known[1] or now), tonumber(known[2] or 0), tonumber(known[4] or 0)
  if known[3] then since = tonumber(known[3]) else redis.call('HSET', meta, 'since', now) end
end

if not redis.call('ZSCORE', busy, scope) then
  local place = waiting > 0 and redis.call('ZSCORE', due, scope)
  -- Who is ready already keeps the place in the line.
  if not place or tonumber(place) > now then
    local at = now
    if waiting + 1 < limit(1) and tokens < limit(2) then
      at = math.min(now + limit(3), first + limit(4))
    end
    redis.call('ZADD', due, math.max(at, hold), scope)
  end
end
return {'accepted', waiting + 1, since, out + waiting + 1}
