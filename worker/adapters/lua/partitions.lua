#!lua flags=allow-oom
-- The number of partitions: whoever comes first stores it, and it holds for all.
-- KEYS  partitions
-- ARGV  the number that the caller is set to
-- Gives the number that is stored
redis.call('SET', KEYS[1], ARGV[1], 'NX')
return redis.call('GET', KEYS[1])
