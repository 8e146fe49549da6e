#!lua flags=allow-oom
-- Keeps what the batch in flight has decided on.
-- KEYS  lease plan
-- ARGV  scope key, fencing token, payload
-- Gives 1, or 0 if the lease is another's
local lease, plan = unpack(KEYS)
if redis.call('HGET', lease, ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('SET', plan, ARGV[3])
return 1
