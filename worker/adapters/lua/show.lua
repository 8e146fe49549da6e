#!lua
-- What was shown in a conversation is kept, and what was named for withdrawal is not any more.
-- KEYS  shown, and that of the conversation; unserved
-- ARGV  scope key, digest of the conversation, ms for which it is kept, memories at most, conversations at most, then
--       of each memory: ms since, its id, its version, 1 for withdrawn
local shown, conversation, unserved = unpack(KEYS)
local scope, digest, kept_ms = ARGV[1], ARGV[2], tonumber(ARGV[3])
local most, most_conversations = tonumber(ARGV[4]), tonumber(ARGV[5])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local erased = tonumber(redis.call('ZSCORE', unserved, 'erased:' .. scope) or 0)

-- Versions only grow: what comes late from another process puts no earlier one back.
local function note(at, id, version, withdrawn)
  local known = tonumber((redis.call('HGET', conversation, id) or '0 0'):match('^%d+'))
  if version < known then return end
  if withdrawn then
    redis.call('HDEL', conversation, id)
  else
    redis.call('HSET', conversation, id, string.format('%d %.0f', version, at))
  end
end

for nth = 6, #ARGV, 4 do
  local at = now - ARGV[nth]
  if at > erased then note(at, ARGV[nth + 1], tonumber(ARGV[nth + 2]), ARGV[nth + 3] == '1') end
end

local surplus = redis.call('HLEN', conversation) - most
if surplus > 0 then
  local all, ages = redis.call('HGETALL', conversation), {}
  for nth = 1, #all, 2 do ages[#ages + 1] = {tonumber(all[nth + 1]:match('%d+$')), all[nth]} end
  table.sort(ages, function(one, other)
    if one[1] == other[1] then return one[2] < other[2] end
    return one[1] < other[1]
  end)
  for nth = 1, surplus do redis.call('HDEL', conversation, ages[nth][2]) end
end

redis.call('ZREMRANGEBYSCORE', shown, 0, now - kept_ms)
if redis.call('EXISTS', conversation) == 0 then
  redis.call('ZREM', shown, digest)
  return
end
redis.call('PEXPIRE', conversation, kept_ms)
redis.call('ZADD', shown, now, digest)
redis.call('PEXPIRE', shown, kept_ms)
local others = redis.call('ZCARD', shown) - most_conversations
if others > 0 then
  for _, old in ipairs(redis.call('ZRANGE', shown, 0, others - 1)) do
    redis.call('DEL', shown .. ':' .. old)
    redis.call('ZREM', shown, old)
  end
end
