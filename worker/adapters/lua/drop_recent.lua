#!lua flags=allow-oom
-- Turns leave what is kept of their conversations as context.
-- KEYS  recent lease
-- ARGV  scope key, fencing token, then conversation, what is left of it (empty: nothing), …
-- Gives 1, or 0 if the lease is another's
local recent, lease = unpack(KEYS)
if redis.call('HGET', lease, ARGV[1]) ~= ARGV[2] then return 0 end
for at = 3, #ARGV, 2 do
  if ARGV[at + 1] == '' then redis.call('HDEL', recent, ARGV[at])
  else redis.call('HSET', recent, ARGV[at], ARGV[at + 1]) end
end
return 1
