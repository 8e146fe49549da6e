#!lua flags=allow-oom
-- Stores what a worker sets for all publishers of a partition; writes only what differs.
-- KEYS  config
-- ARGV  1 if what is stored gives way, 0 if it stays, then field, value, …
local config, replace = KEYS[1], ARGV[1] == '1'
for at = 2, #ARGV, 2 do
  local stored = redis.call('HGET', config, ARGV[at])
  if not stored or (replace and stored ~= ARGV[at + 1]) then
    redis.call('HSET', config, ARGV[at], ARGV[at + 1])
  end
end
