#!lua flags=allow-oom
-- What recall has served a scope is dropped: all questions, and these counts; or all of it, with what was shown in
-- which conversation. What a reader has noted before and not brought yet stays out.
-- KEYS  used served judged unserved shown
-- ARGV  scope key, ms for which readers may hold a note, whether all of it goes, then memory ids
-- Gives how many questions went
local used, served, judged, unserved, shown = unpack(KEYS)
local scope, held_ms = ARGV[1], tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local questions = redis.call('LLEN', served)
redis.call('DEL', served)
if ARGV[3] == '1' then
  redis.call('DEL', used, judged)
  for _, conversation in ipairs(redis.call('ZRANGE', shown, 0, -1)) do redis.call('DEL', shown .. ':' .. conversation) end
  redis.call('DEL', shown)
  redis.call('ZADD', unserved, now, 'erased:' .. scope)
end
for nth = 4, #ARGV do
  redis.call('HDEL', used, ARGV[nth])
  redis.call('HDEL', judged, 'useful:' .. ARGV[nth], 'wrong:' .. ARGV[nth])
end
redis.call('ZREMRANGEBYSCORE', unserved, 0, now - held_ms)
redis.call('ZADD', unserved, now, scope)
redis.call('PEXPIRE', unserved, held_ms)
return questions
