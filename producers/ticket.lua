#!lua flags=no-writes
-- What became of a turn that was published; changes nothing.
-- KEYS  meta seen parked   (of one scope, schemas/keys.py)
-- ARGV  turn id, since, place   (as publish.lua gave them)
-- Gives {"waiting"}, {"parked", why}, {"consolidated"}, or {"unknown"} for a turn that Redis does not remember
local meta, seen, parked = unpack(KEYS)
local id = ARGV[1]
local arrived = redis.call('ZSCORE', seen, id)
-- A half: it was taken out of the inbox again, and nothing was learned from it.
if arrived and tonumber(arrived) % 1 > 0 then return {'unknown'} end
local known = redis.call('HMGET', meta, 'since', 'out', 'again:' .. id)
local out = tonumber(known[2] or 0)
-- One that was parked and put back has another place, unless it was published anew after that.
local place = math.max(tonumber(known[3] or 0), known[1] == ARGV[2] and tonumber(ARGV[3]) or 0)
if place > out then return {'waiting'} end
local aside = redis.call('HGET', parked, id)
if aside then return {'parked', cjson.decode(aside).reason} end
-- Nobody remembers a turn longer than `seen`, and a Redis that lost its tail not even that long.
if arrived then return {'consolidated'} end
return {'unknown'}
