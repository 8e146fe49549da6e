#!lua flags=allow-oom
-- What the fleet remembers of parts that failed; moments are microseconds by this server's clock.
-- KEYS  breaker
-- ARGV  verb, ms after which all is forgotten, then by verb:
--   ask     µs for which a probe is waited for (0: only look), 1 if a probe may go at once, part, …
--           Gives {} where nothing rests, else {part, µs it still rests, what a probe gives to `let_go`}
--   failed  part, scope key              Gives {when, vouched_at, scopes, rests, rested_at}, 0 for what is not
--   rest    part, which rest it is, µs   Gives 1, or 0 where that rest has been begun
--   served  scope key, when the work was begun, part, …
--   forget  scope key, part, …
--   let_go  what `ask` gave: a probe that came to nothing is another's to make
-- The HASH holds  rest:PART → until, begun, how many;  failed:PART:SCOPE → when, vouched_at;  served:PART → when
local key, verb, forget_ms = KEYS[1], ARGV[1], tonumber(ARGV[2])
-- As in every healthy fleet, before every claim.
if verb == 'ask' and redis.call('EXISTS', key) == 0 then return {} end
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local function get(field)
  local found = {}
  for number in string.gmatch(redis.call('HGET', key, field) or '', '%d+') do
    found[#found + 1] = tonumber(number)
  end
  return found
end
-- Exact: doubles are up to 2^53.
local function set(field, ...)
  local texts = {}
  for at, number in ipairs({...}) do texts[at] = string.format('%.0f', number) end
  redis.call('HSET', key, field, table.concat(texts, ' '))
  redis.call('PEXPIRE', key, forget_ms)
end
local function failures(part)
  local found, head = {}, 'failed:' .. part .. ':'
  for _, field in ipairs(redis.call('HKEYS', key)) do
    if string.sub(field, 1, #head) == head then found[#found + 1] = field end
  end
  return found
end

if verb == 'ask' then
  local held, at_once, due = tonumber(ARGV[3]), ARGV[4] == '1', {}
  for at = 5, #ARGV do
    local until_, begun, rests = unpack(get('rest:' .. ARGV[at]))
    if until_ and until_ > now and not at_once then return {ARGV[at], until_ - now, 0} end
    if until_ then due[#due + 1] = {ARGV[at], begun, rests} end
  end
  if #due == 0 then return {} end
  if held == 0 then return {due[1][1], 0, 0} end
  for _, one in ipairs(due) do set('rest:' .. one[1], now + held, one[2], one[3]) end
  return {due[1][1], 0, now + held}

elseif verb == 'failed' then
  local part, scope = ARGV[3], ARGV[4]
  local field = 'failed:' .. part .. ':' .. scope
  local vouched_at = get(field)[2] or 0
  set(field, now, 0)
  local served, scopes = get('served:' .. part)[1] or 0, 0
  for _, other in ipairs(failures(part)) do
    local at = get(other)[1]
    if at < now - forget_ms * 1000 then redis.call('HDEL', key, other)
    elseif at > served then scopes = scopes + 1 end
  end
  local _, begun, rests = unpack(get('rest:' .. part))
  return {now, vouched_at, scopes, rests or 0, begun or 0}

elseif verb == 'rest' then
  local part, which, us = ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
  if (get('rest:' .. part)[3] or 0) >= which then return 0 end
  set('rest:' .. part, now + us, now, which)
  return 1

elseif verb == 'served' then
  if redis.call('EXISTS', key) == 0 then return end
  local scope, begun = ARGV[3], tonumber(ARGV[4])
  for at = 5, #ARGV do
    local part = ARGV[at]
    redis.call('HDEL', key, 'rest:' .. part, 'failed:' .. part .. ':' .. scope)
    local failed = failures(part)
    for _, field in ipairs(failed) do
      local when, vouched_at = unpack(get(field))
      if when < begun and vouched_at == 0 then set(field, when, now) end
    end
    if #failed > 0 then set('served:' .. part, now) else redis.call('HDEL', key, 'served:' .. part) end
  end

elseif verb == 'forget' then
  for at = 4, #ARGV do redis.call('HDEL', key, 'failed:' .. ARGV[at] .. ':' .. ARGV[3]) end

elseif verb == 'let_go' then
  for _, field in ipairs(redis.call('HKEYS', key)) do
    local until_, begun, rests = unpack(get(field))
    if string.sub(field, 1, 5) == 'rest:' and until_ == tonumber(ARGV[3]) then
      set(field, now, begun, rests)
    end
  end
end
