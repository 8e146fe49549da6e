#!lua flags=allow-oom
-- Registers as many doorbells as there is work that nobody was rung for.
-- KEYS  due busy bells
-- ARGV  ready scopes of other partitions, time to live in ms, most bells out, doorbell, …
-- Gives how many of the doorbells to send, from the first on
local due, busy, bells = unpack(KEYS)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', bells, '-inf', now)
local out = redis.call('ZCARD', bells)
local ready = ARGV[1] + redis.call('ZCOUNT', due, '-inf', now) + redis.call('ZCOUNT', busy, '-inf', now)
local want = math.max(0, math.min(ready - out, ARGV[3] - out, #ARGV - 3))
for at = 4, 3 + want do redis.call('ZADD', bells, now + ARGV[2], ARGV[at]) end
return want
