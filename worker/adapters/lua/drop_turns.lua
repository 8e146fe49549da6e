#!lua flags=allow-oom
-- Pending turns leave the inbox unread. What was kept for the batch goes too: it counts turns from the head.
-- KEYS  turns meta plan seen lease attempts counters config
-- ARGV  scope key, fencing token, the default of seen_ms, how many turns go, for each: its place from 0 (ascending), its id
--       (empty for what is no turn), its tokens, then the ids of all that stand before the last of them, in order
-- Gives {how many went}, or nothing if the lease is another's
local turns, meta, plan, seen, lease, attempts, counters, config = unpack(KEYS)
local scope, parting = ARGV[1], tonumber(ARGV[4])
if redis.call('HGET', lease, scope) ~= ARGV[2] then return nil end
if parting == 0 then return {0} end

-- Many arguments at a time: thousands of calls would keep all others waiting.
local function in_portions(command, key, values)
  for from = 1, #values, 1000 do
    redis.call(command, key, unpack(values, from, math.min(from + 999, #values)))
  end
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local known = redis.call('HMGET', meta, 'tokens', 'flush', 'out')
local tokens, flush, out = tonumber(known[1] or 0), tonumber(known[2] or 0), tonumber(known[3] or 0)
local before, covered, goes, known_ids, places = redis.call('LLEN', turns), flush, {}, {}, {}
for at = 5, 4 + parting * 3, 3 do
  local place, id = tonumber(ARGV[at]), ARGV[at + 1]
  goes[place] = true
  tokens = tokens - ARGV[at + 2]
  if place < covered then flush = flush - 1 end
  if id ~= '' then
    -- Remembered anew, so that it does not come back; the half tells that nothing was learned from it.
    known_ids[#known_ids + 1] = now + 0.5
    known_ids[#known_ids + 1] = id
    places[#places + 1] = 'again:' .. id
  end
end
in_portions('ZADD', seen, known_ids)
in_portions('HDEL', meta, places)
redis.call('PEXPIRE', seen, redis.call('HGET', config, 'seen_ms') or ARGV[3])

-- Those that stay are written down first: an error further down must never lose a turn.
local stay = {}
for place, element in ipairs(redis.call('LRANGE', turns, 0, -1)) do
  if not goes[place - 1] then stay[#stay + 1] = element end
end
in_portions('RPUSH', turns, stay)
redis.call('LTRIM', turns, before, -1)
local left = redis.call('LLEN', turns)
local gone = before - left
redis.call('DEL', plan)
redis.call('HINCRBY', counters, 'pending', -gone)
redis.call('HINCRBY', counters, 'settled', gone)
if left == 0 then
  redis.call('DEL', meta)
  redis.call('HDEL', attempts, scope)
  return {gone}
end

-- Whoever stood behind all of them keeps the place of its ticket: as many more are out. Those before move up as far.
local place, moved = out + gone, {}
for at = 5 + parting * 3, #ARGV do
  if not goes[at - 5 - parting * 3] then
    place = place + 1
    if ARGV[at] ~= '' then
      moved[#moved + 1] = 'again:' .. ARGV[at]
      moved[#moved + 1] = place
    end
  end
end
in_portions('HSET', meta, moved)
local first = tonumber(string.match(redis.call('LINDEX', turns, 0), '^%d+')) or now
redis.call('HSET', meta, 'tokens', math.max(0, tokens), 'flush', flush, 'out', out + gone, 'first', first)
return {gone}
