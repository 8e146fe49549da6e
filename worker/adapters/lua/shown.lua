#!lua flags=no-writes
-- What an answer depends on beside the store: what was shown in its conversation, and the last turns that wait.
-- KEYS  that of the conversation, turns meta busy config
-- ARGV  scope key, turns at most, bytes of these at most, the default of batch_turns
-- Gives {ids and versions of what was shown, how many of the turns are in a batch that somebody holds, turns}
local conversation, turns, meta, busy, config = unpack(KEYS)
local scope, most, bytes = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local waiting = 0
if most > 0 then waiting = redis.call('LLEN', turns) end

local last = {}
while #last < math.min(most, waiting) do
  local turn = redis.call('LINDEX', turns, -1 - #last)
  bytes = bytes - #turn
  if bytes < 0 and #last > 0 then break end
  table.insert(last, 1, turn)
end

local held = 0
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if #last > 0 and tonumber(redis.call('ZSCORE', busy, scope) or 0) > now then
  local batch = tonumber(redis.call('HGET', config, 'batch_turns') or ARGV[4])
  held = math.min(batch, tonumber(redis.call('HGET', meta, 'limit') or batch))
end
return {redis.call('HGETALL', conversation), math.max(0, held - (waiting - #last)), last}
