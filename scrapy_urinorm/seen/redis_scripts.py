"""The server's half of the Redis store: Lua scripts, each atomic.

Keys, for a prefix P:

- `P`: hash; `id` (made when the store is made), `format`, `stamps` (JSON), `timed`, `feed` (how many
  records the feed has had), and per tier how many records it has (`8`, `11`, ...).
- `P:BITS:BUCKET`: hash of at most about 100 records, which Redis keeps as one flat listpack (ziplist before 7.0):
  22 bytes a record where a set of strings takes 70 and more. The bucket is given by the record's first BITS bits; the
  field is the record without the whole bytes that the bucket implies; the value is empty, or the time in a timed store.
  As long as the request that was new is under way, the digest of its URL's text stands in the value, in a timed store
  behind the time and a space: see `redis_outcome_scripts`.
- `P:feed`: string used as a ring, the last records that were new, so that each worker hears of the others' with its
  next question.
- `P:claims`: hash, worker -> the last record that was new to it. It answers a question asked twice because the
  connection broke before the answer came.

A tier is full at 64 records per bucket on average; then records go to the next, which has eight times as many buckets.
Nothing is ever moved: a question looks into every tier that has records.
"""

from __future__ import annotations

TIER_BITS = (8, 11, 14, 17, 20, 23, 26, 29)
# 1.3 MB, what many workers find between two questions of one; Redis keeps hashes of up to 128 fields as one flat
# listpack (hash-max-listpack-entries), so half of that; a day is longer than any connection takes
FEED_RECORDS = 65_536
_BUCKET_RECORDS = 64
CLAIM_SECONDS = 86_400

CREATE = """
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], 'id', ARGV[1], 'format', ARGV[2], 'timed', ARGV[3], 'stamps', '[]', 'feed', 0)
return 1
"""

LOOKUP = f"""
local TIERS = {{{", ".join(map(str, TIER_BITS))}}}
local state = redis.call('HMGET', KEYS[1], 'id', 'timed', 'feed', {", ".join(f"'{bits}'" for bits in TIER_BITS)})
if state[1] ~= ARGV[1] then return redis.error_reply('FORGOTTEN the store was cleared, or Redis lost its data') end
local timed, feed = state[2] == '1', tonumber(state[3] or 0)
local ttl = tonumber(ARGV[2])
local now = timed and tonumber(redis.call('TIME')[1]) or 0
local total = 0
for i = 1, #TIERS do total = total + tonumber(state[3 + i] or 0) end

local function since(value) return tonumber(string.match(value, '^%d+')) end

local function place(fp, bits)
  local bucket = math.floor(struct.unpack('>I4', fp) / 2 ^ (32 - bits))
  return KEYS[1] .. ':' .. bits .. ':' .. bucket, string.sub(fp, math.floor(bits / 8) + 1)
end

-- seconds left (0: not seen, -1: for ever), key and field where it is or was, first tier with room, value
local function find(fp)
  local room
  for i, bits in ipairs(TIERS) do
    local count = tonumber(state[3 + i] or 0)
    if not room and count < {_BUCKET_RECORDS} * 2 ^ bits then room = bits end
    if count > 0 then
      local key, field = place(fp, bits)
      local value = redis.call('HGET', key, field)
      if value then
        if not timed or ttl == 0 then return -1, key, field, nil, value end
        return math.max(0, since(value) + ttl - now), key, field, nil, value
      end
    end
  end
  return 0, nil, nil, room
end
"""

CONTAINS = (
    LOOKUP
    + """
local left = {}
for i = 3, #ARGV do left[i - 2] = (find(ARGV[i])) end
return left
"""
)

ADD = (
    LOOKUP
    + f"""
local fp, worker, again, cursor, text = ARGV[3], ARGV[4], ARGV[5] == '1', tonumber(ARGV[6]), ARGV[7]
local left, key, field, room = find(fp)
local new = left == 0
if new then
  if timed then
    -- what became of it before it was forgotten
    redis.call('HDEL', KEYS[1] .. ':failed', fp)
    redis.call('HDEL', KEYS[1] .. ':variants', fp .. '1', fp .. '2')
  end
  local value = timed and (now .. (text == '' and '' or ' ' .. text)) or text
  if key then
    redis.call('HSET', key, field, value)
  else
    key, field = place(fp, room)
    redis.call('HSET', key, field, value)
    redis.call('HINCRBY', KEYS[1], room, 1)
    total = total + 1
    if timed and ttl > 0 then
      local size = redis.call('HLEN', key)
      if size >= {_BUCKET_RECORDS * 3 // 4} and size % 8 == 0 then
        local all, gone = redis.call('HGETALL', key), 0
        for i = 1, #all, 2 do
          if since(all[i + 1]) + ttl <= now then gone = gone + redis.call('HDEL', key, all[i]) end
        end
        if gone > 0 then redis.call('HINCRBY', KEYS[1], room, -gone) end
        total = total - gone
      end
    end
  end
  if timed and ttl > 0 then redis.call('EXPIRE', key, ttl + 1) elseif timed then redis.call('PERSIST', key) end
elseif again and redis.call('HGET', KEYS[3], worker) == fp then
  return {{1, left, total, feed, ''}}
end

local news, first = '', math.max(cursor, feed - {FEED_RECORDS})
if first < feed then
  local from, to = first % {FEED_RECORDS}, feed % {FEED_RECORDS}
  if from < to then
    news = redis.call('GETRANGE', KEYS[2], from * 20, to * 20 - 1)
  else
    news = redis.call('GETRANGE', KEYS[2], from * 20, -1)
    if to > 0 then news = news .. redis.call('GETRANGE', KEYS[2], 0, to * 20 - 1) end
  end
end
if new then
  redis.call('SETRANGE', KEYS[2], feed % {FEED_RECORDS} * 20, fp)
  redis.call('HSET', KEYS[3], worker, fp)
  redis.call('EXPIRE', KEYS[3], {CLAIM_SECONDS})
  redis.call('HSET', KEYS[1], 'feed', feed + 1)
  if KEYS[4] then redis.call('ZADD', KEYS[4], ARGV[8], ARGV[9]) end
  feed = feed + 1
end
return {{new and 1 or 0, left, total, feed, news}}
"""
)
