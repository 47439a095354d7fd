"""The server's half of what became of claimed fingerprints: Lua scripts, each atomic.

Keys besides those of `redis_scripts`, for a prefix P; D is the digest of a URL's text, 7 bytes:

- The value of a fingerprint's record: empty where its page was served, or nobody waits for its outcome; D of the
  request that speaks for it; `f` and D where that failed, and no other text was tried; `x` where the variants failed,
  too.
- `P:failed`: hash, fingerprint -> `f` (failed) or `o` (a variant is under way), the number of the last chance, and the
  D of all texts that were tried: of keys of which more is known than the value tells.
- `P:variants`: hash, fingerprint and `1` or `2` -> D of a variant that was found, and the request, for whom the first
  one fails to.
- `P:left`: set, failed fingerprints whose variants a process left when it ended: who is idle takes them.
- `P:granted`: hash, worker -> the last variant that it was given. It answers a question asked twice because the
  connection broke before the answer came.
"""

from __future__ import annotations

from scrapy_urinorm.seen.redis_scripts import CLAIM_SECONDS, LOOKUP

OUTCOME_KEYS = ("failed", "variants", "left", "granted")
"""The names of these keys behind the prefix."""

_MOST_TRIED = 12
"""Texts of a key: a chain of redirects may go through twenty; those left out may be tried again."""

_STATE = (
    LOOKUP
    + f"""
local worker, again = ARGV[3], ARGV[4] == '1'
local FAILED, VARIANTS, LEFT, GRANTED = {", ".join(f"KEYS[1] .. ':{name}'" for name in OUTCOME_KEYS)}

local function text_of(value)
  if not value or not timed then return value or '' end
  local at = string.find(value, ' ', 1, true)
  return at and string.sub(value, at + 1) or ''
end

local function set_text(key, field, value, text)
  if timed then text = since(value) .. (text == '' and '' or ' ' .. text) end
  redis.call('HSET', key, field, text)
end

local function lasts(name)
  if timed and ttl > 0 then redis.call('EXPIRE', name, ttl + 1) end
end

-- state, chances, digests of what was tried
local function row_of(fp, text)
  if #text == 8 then return 'f', 0, string.sub(text, 2) end
  local row = redis.call('HGET', FAILED, fp)
  if not row then return nil, 0, '' end
  return string.sub(row, 1, 1), tonumber(string.sub(row, 2, 2)), string.sub(row, 3)
end

local function set_row(fp, state, chances, digests)
  redis.call('HSET', FAILED, fp, state .. chances .. digests)
  lasts(FAILED)
end

local function has(digests, digest)
  for i = 1, #digests, 7 do
    if string.sub(digests, i, i + 6) == digest then return true end
  end
  return false
end

local function forget(fp)
  redis.call('HDEL', FAILED, fp)
  redis.call('HDEL', VARIANTS, fp .. '1', fp .. '2')
end

-- how many variants wait
local function held(fp)
  return redis.call('HEXISTS', VARIANTS, fp .. '1') + redis.call('HEXISTS', VARIANTS, fp .. '2')
end

-- a variant is under way now
local function grant(fp, digest, chances, digests, data)
  local _, key, field, _, value = find(fp)
  set_text(key, field, value, digest)
  set_row(fp, 'o', chances, digests .. digest)
  redis.call('HSET', GRANTED, worker, fp .. digest .. chances .. data)
  redis.call('EXPIRE', GRANTED, {CLAIM_SECONDS})
  return {{chances, data, digest}}
end

local function granted(fp, digest)
  local last = again and redis.call('HGET', GRANTED, worker)
  if last and string.sub(last, 1, 27) == fp .. digest then
    return {{tonumber(string.sub(last, 28, 28)), string.sub(last, 29), digest}}
  end
  return {{0, '', ''}}
end

-- one of the variants that wait for a failed key
local function waiting(fp, chances, digests, most)
  for i = 1, 2 do
    local row = redis.call('HGET', VARIANTS, fp .. i)
    if row then
      redis.call('HDEL', VARIANTS, fp .. i)
      local digest = string.sub(row, 1, 7)
      if chances < most and not has(digests, digest) then
        return grant(fp, digest, chances + 1, digests, string.sub(row, 8))
      end
    end
  end
end
"""
)

# ARGV: most chances, how many were served, these; then fingerprints and digests by turns.
# For each of those: -1 served, 0 of no use, 1 another text is under way, 2 failed, 3 failed for good.
LOOK = (
    _STATE
    + """
local most, served = tonumber(ARGV[5]), tonumber(ARGV[6])
for i = 7, 6 + served do
  local fp = ARGV[i]
  local _, key, field, _, value = find(fp)
  if text_of(value) ~= '' then
    set_text(key, field, value, '')
    forget(fp)
  end
end
local found = {}
for i = 7 + served, #ARGV, 2 do
  local fp, digest = ARGV[i], ARGV[i + 1]
  local left, _, _, _, value = find(fp)
  local text = text_of(value)
  local state, chances, digests = row_of(fp, text)
  local answer
  if left == 0 then answer = 0
  elseif text == '' then answer = -1
  elseif text == 'x' then answer = 3
  elseif text == digest or has(digests, digest) then answer = 0
  elseif state == 'f' then answer = 2
  else answer = (digest == '' or chances + held(fp) < most) and 1 or 0 end
  found[#found + 1] = answer
end
return found
"""
)

# ARGV: fingerprint, digest, request, most chances, most variants, whether it cannot wait, whether it cannot go now
OFFER = (
    _STATE
    + """
local fp, digest, data, most, room = ARGV[5], ARGV[6], ARGV[7], tonumber(ARGV[8]), tonumber(ARGV[9])
local hurry, ending = ARGV[10] == '1', ARGV[11] == '1'
local left, _, _, _, value = find(fp)
local text = text_of(value)
if left == 0 or text == '' or text == 'x' then return {0, '', ''} end
local state, chances, digests = row_of(fp, text)
if text == digest or has(digests, digest) then return granted(fp, digest) end
local free
for i = 1, 2 do
  local row = redis.call('HGET', VARIANTS, fp .. i)
  if not row then free = free or i elseif string.sub(row, 1, 7) == digest then return {0, '', ''} end
end
if chances + held(fp) >= most then return {0, '', ''} end
if not ending then
  if state == 'f' then return grant(fp, digest, chances + 1, digests, '') end
  if hurry or redis.call('HLEN', VARIANTS) >= room then
    return grant(fp, digest, chances + 1, digests == '' and text or digests, 'hurried')
  end
end
if hurry then return {0, '', ''} end
redis.call('HSET', VARIANTS, fp .. free, digest .. data)
lasts(VARIANTS)
if state == 'f' then
  redis.call('SADD', LEFT, fp)
  lasts(LEFT)
end
return {0, '', ''}
"""
)

# ARGV: fingerprint, most chances, digest of the text that speaks for it, of others that were tried
FAIL = (
    _STATE
    + f"""
local fp, most, digest = ARGV[5], tonumber(ARGV[6]), ARGV[7]
local left, key, field, _, value = find(fp)
if left == 0 then return {{0, '', ''}} end
if text_of(value) ~= digest then return granted(fp, text_of(value)) end
local _, chances, digests = row_of(fp, digest)
for i = 7, #ARGV do
  if #digests < 7 * {_MOST_TRIED} and not has(digests, ARGV[i]) then digests = digests .. ARGV[i] end
end
local found = waiting(fp, chances, digests, most)
if found then return found end
if chances >= most then
  set_text(key, field, value, 'x')
  forget(fp)
elseif chances == 0 and #digests == 7 then
  set_text(key, field, value, 'f' .. digests)
else
  set_row(fp, 'f', chances, digests)
end
return {{0, '', ''}}
"""
)

# ARGV: fingerprint, most chances, digest: the request under way is sent once more
AGAIN = (
    _STATE
    + """
local fp, most, digest = ARGV[5], tonumber(ARGV[6]), ARGV[7]
local left, _, _, _, value = find(fp)
if left == 0 or text_of(value) ~= digest then return 0 end
local _, chances, digests = row_of(fp, digest)
if chances >= most then return 0 end
set_row(fp, 'o', chances + 1, digests)
return chances + 1
"""
)

# ARGV: most chances. One of what others left: fingerprint, chance, request; an empty fingerprint for nothing.
TAKE_LEFT = (
    _STATE
    + """
local fp = redis.call('SPOP', LEFT)
while fp do
  local left, _, _, _, value = find(fp)
  local state, chances, digests = row_of(fp, text_of(value))
  if left ~= 0 and state == 'f' then
    local found = waiting(fp, chances, digests, tonumber(ARGV[5]))
    if found then
      -- there may be another one
      redis.call('SADD', LEFT, fp)
      return {fp, found[1], found[2], found[3]}
    end
  end
  fp = redis.call('SPOP', LEFT)
end
return {'', 0, '', ''}
"""
)
