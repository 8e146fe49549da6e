#!lua
-- What recall has served a scope is counted, and its questions are kept: the latest, each once.
-- KEYS  used served judged unserved
-- ARGV  scope key, ms for which counts are kept, ms for questions, counts at most, questions at most, then of each
--       note: ms since it was taken, the question's digest and JSON (both empty where it is not kept), how many fields
--       it counts, and these: a memory id, or `useful:` or `wrong:` and one
local used, served, judged, unserved = unpack(KEYS)
local scope, count_ms, question_ms = ARGV[1], ARGV[2], ARGV[3]
local most_counts, most_questions = tonumber(ARGV[4]), tonumber(ARGV[5])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local dropped = tonumber(redis.call('ZSCORE', unserved, scope) or 0)

local function count(field)
  local hash = used
  if field:find(':', 1, true) then hash = judged end
  if redis.call('HEXISTS', hash, field) == 1 or redis.call('HLEN', hash) < most_counts then
    redis.call('HINCRBY', hash, field, 1)
    redis.call('PEXPIRE', hash, count_ms)
  end
end

-- Asked again it is the latest, and not kept twice.
local function keep(taken, digest, question)
  local entries = redis.call('LRANGE', served, 0, -1)
  redis.call('DEL', served)
  for _, entry in ipairs(entries) do
    if not entry:find(' ' .. digest .. ' ', 1, true) then redis.call('RPUSH', served, entry) end
  end
  redis.call('RPUSH', served, string.format('%d %s %s', taken, digest, question))
  redis.call('LTRIM', served, -most_questions, -1)
  redis.call('PEXPIRE', served, question_ms)
end

local at = 6
while at < #ARGV do
  local taken = now - ARGV[at]
  local fields = tonumber(ARGV[at + 3])
  if taken > dropped then
    for nth = at + 4, at + 3 + fields do count(ARGV[nth]) end
    if ARGV[at + 1] ~= '' then keep(taken, ARGV[at + 1], ARGV[at + 2]) end
  end
  at = at + 4 + fields
end
