#!lua flags=allow-oom
-- What sleep has counted is taken off; what was served meanwhile stays.
-- KEYS  used
-- ARGV  pairs of a memory id and how many times
for at = 1, #ARGV, 2 do
  if redis.call('HEXISTS', KEYS[1], ARGV[at]) == 1
    and redis.call('HINCRBY', KEYS[1], ARGV[at], -ARGV[at + 1]) <= 0
  then
    redis.call('HDEL', KEYS[1], ARGV[at])
  end
end
return 0
