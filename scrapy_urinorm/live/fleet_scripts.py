"""The server's half of live rules that a fleet shares: Lua scripts, each atomic.

Keys, for a base B (the prefix of the seen store and `:live`):

- `B`: hash; `salt` (of masks, the same for all), `generation` (the last one given), `version` (of all that is learned),
  `rows` (numbers of parked requests), `moves` (how often a worker has begun to fetch again), `asked`, `judge`, `until`
  (the last judgement, who has asked for it, how long he may wait), `judged` (the `moves` that were judged).
- `B:workers`: sorted set, worker -> the second until which he is taken for alive. `B:epoch`, `B:idle`: hashes, worker
  -> how often he has begun to fetch, and which of these has ended with all its visits handed over.
- `B:learners`: hash, site -> the worker that learns. `B:visits:SITE`: stream of what was seen and met on a site;
  `B:bytes`: hash, site -> its octets. `B:struck`: hash, site -> rules that were taken back (JSON).
- `B:rules`: hash, site -> generation, a space, the rules (JSON). `B:generations`: hash, site -> the generation that
  holds now, 0 while it is doubted. `B:doubts`, `B:platforms`: hashes, site -> what is said of it (JSON).
- `B:yields`: hash, pattern -> what it has brought (JSON), as a worker knew it.
- `B:events`: stream, what patterns have brought, and judgements. `B:verdicts:N`: set of workers that have judged.
- `B:served:SITE`: list of what was delivered. `B:task:TASK`: the worker that does something that one should.
- `B:parked`: hash, member -> request; `B:index`: sorted set of the members, all of score 0: twelve digits of a
  generation (0: a closed pattern), sixteen of a class, twelve of a number.
- `B:done:CONNECTION`: hash; `ask` (the number of its last question), and of each call of it the answer: asked twice,
  because the connection broke before the answer came, it is done once.

A worker is whoever says so by `PULSE`; the time is the server's.
"""

from __future__ import annotations

VISITS_BYTES = 64 << 20
"""Octets of the visits of a site that are kept for whoever learns after its learner: some 30,000 compressed ones."""
EVENTS = 100_000
"""Events that are kept, some 20 MB: a worker that is further behind misses news, and fetches more than it must."""
MOST_SITES = 1_000
"""Sites that are learned from: as many as a student studies."""

MOST_NOTES = 40_000
"""Patterns of which it is noted what they brought: those that a worker counts, and as many with doubted requests."""

#: ARGV: worker, seconds. Returns the sites that he is to learn: those of workers that are dead, too, while there is
#: something to be learned.
PULSE = """
local base, worker = KEYS[1], ARGV[1]
local workers, learners = base .. ':workers', base .. ':learners'
local now = tonumber(redis.call('TIME')[1])
for _, dead in ipairs(redis.call('ZRANGEBYSCORE', workers, '-inf', now)) do
  redis.call('ZREM', workers, dead)
  redis.call('HDEL', base .. ':epoch', dead)
  redis.call('HDEL', base .. ':idle', dead)
end
redis.call('ZADD', workers, now + ARGV[2], worker)
local moves, judged = redis.call('HGET', base, 'moves'), redis.call('HGET', base, 'judged')
local over = moves and moves == judged
local mine, found = {}, redis.call('HGETALL', learners)
for i = 1, #found, 2 do
  if found[i + 1] == worker then
    mine[#mine + 1] = found[i]
  elseif not over and not redis.call('ZSCORE', workers, found[i + 1]) then
    redis.call('HSET', learners, found[i], worker)
    mine[#mine + 1] = found[i]
  end
end
return mine
"""

_DONE_SECONDS = 1800
"""How long a connection is remembered after its last call: twice as long as any question waits for its answer."""
#: Begins a script that is not to run twice. The last of ARGV: connection, number of the question, number of the call
#: in it. What an earlier question left under way comes too late. Each way out is `return done(answer)`, after what was
#: to be done: a script that fails half-way is asked again, and a request twice is better than none.
_ONCE = f"""
local mark, ask, call = KEYS[1] .. ':done:' .. ARGV[#ARGV - 2], tonumber(ARGV[#ARGV - 1]), ARGV[#ARGV]
local last = tonumber(redis.call('HGET', mark, 'ask') or '0')
if ask < last then return 0 end
if ask == last then
  local answer = redis.call('HGET', mark, call)
  if answer then return tonumber(answer) end
else
  redis.call('DEL', mark)
  redis.call('HSET', mark, 'ask', ask)
end
local function done(answer)
  redis.call('HSET', mark, call, answer)
  redis.call('EXPIRE', mark, {_DONE_SECONDS})
  return answer
end
"""

#: ARGV: worker, site, header, body, octets that are kept. Returns whether he is to learn the site from now on.
VISIT = (
    _ONCE
    + f"""
local base, worker, site = KEYS[1], ARGV[1], ARGV[2]
local learners = base .. ':learners'
local first = 0
if redis.call('HEXISTS', learners, site) == 0 then
  if redis.call('HLEN', learners) >= {MOST_SITES} then return done(0) end
  redis.call('HSET', learners, site, worker)
  first = 1
end
local stream = base .. ':visits:' .. site
redis.call('XADD', stream, '*', 'h', ARGV[3], 'b', ARGV[4])
local bytes = redis.call('HINCRBY', base .. ':bytes', site, #ARGV[3] + #ARGV[4])
if bytes > tonumber(ARGV[5]) then
  redis.call('XTRIM', stream, 'MAXLEN', math.floor(redis.call('XLEN', stream) * 3 / 4))
  redis.call('HSET', base .. ':bytes', site, math.floor(bytes * 3 / 4))
end
return done(first)
"""
)

#: ARGV: worker, site, what, JSON. Nothing where another one learns the site by now. Returns whether it was taken.
PUBLISH = (
    _ONCE
    + """
local base, site, what, text = KEYS[1], ARGV[2], ARGV[3], ARGV[4]
if redis.call('HGET', base .. ':learners', site) ~= ARGV[1] then return done(0) end
if what == 'struck' then
  redis.call('HSET', base .. ':struck', site, text)
  return done(1)
end
if what == 'rules' then
  local generation = redis.call('HINCRBY', base, 'generation', 1)
  redis.call('HSET', base .. ':generations', site, generation)
  redis.call('HSET', base .. ':rules', site, generation .. ' ' .. text)
elseif what == 'doubt' then
  redis.call('HSET', base .. ':generations', site, 0)
  redis.call('HSET', base .. ':doubts', site, text)
else
  redis.call('HSET', base .. ':platforms', site, text)
end
redis.call('HINCRBY', base, 'version', 1)
return done(1)
"""
)

#: ARGV: how many are kept, JSON. An event that all are to hear of.
NEWS = (
    _ONCE
    + """
redis.call('XADD', KEYS[1] .. ':events', 'MAXLEN', '~', ARGV[1], '*', 'e', ARGV[2])
return done(1)
"""
)

#: ARGV: site, a page of it that was delivered.
SERVE = (
    _ONCE
    + """
redis.call('RPUSH', KEYS[1] .. ':served:' .. ARGV[1], ARGV[2])
return done(1)
"""
)

#: ARGV: worker. He has ended: others are to learn what he has learned.
LEAVE = """
local base, worker = KEYS[1], ARGV[1]
redis.call('ZREM', base .. ':workers', worker)
redis.call('HDEL', base .. ':epoch', worker)
redis.call('HDEL', base .. ':idle', worker)
return 1
"""

#: ARGV: site, generation, its digits and those of the class, request. Nothing under rules that no longer hold.
PARK = (
    _ONCE
    + """
local base = KEYS[1]
if ARGV[2] ~= '0' and redis.call('HGET', base .. ':generations', ARGV[1]) ~= ARGV[2] then return done(0) end
local member = ARGV[3] .. string.format('%012d', redis.call('HINCRBY', base, 'rows', 1))
redis.call('HSET', base .. ':parked', member, ARGV[4])
redis.call('ZADD', base .. ':index', 0, member)
return done(1)
"""
)

#: ARGV: site, generation, its digits and those of the class, member. It waits under newer rules from now on.
MOVE = """
local base, old = KEYS[1], ARGV[4]
if redis.call('HGET', base .. ':generations', ARGV[1]) ~= ARGV[2] then return 0 end
local data = redis.call('HGET', base .. ':parked', old)
if not data then return 0 end
local member = ARGV[3] .. string.sub(old, 29)
redis.call('HDEL', base .. ':parked', old)
redis.call('ZREM', base .. ':index', old)
redis.call('HSET', base .. ':parked', member, data)
redis.call('ZADD', base .. ':index', 0, member)
return 1
"""

#: ARGV: worker, seconds, moves. Returns the number of the judgement that he has asked for; 0 where another one has.
JUDGE = (
    _ONCE
    + """
local base, worker = KEYS[1], ARGV[1]
local now = tonumber(redis.call('TIME')[1])
if redis.call('HGET', base, 'judged') == ARGV[3] then return done(0) end
local judge, before = redis.call('HGET', base, 'judge'), redis.call('HGET', base, 'until')
if judge and judge ~= worker and now < tonumber(before) and redis.call('ZSCORE', base .. ':workers', judge) then
  return done(0)
end
local asked = redis.call('HINCRBY', base, 'asked', 1)
redis.call('HSET', base, 'judge', worker, 'until', now + ARGV[2])
redis.call('XADD', base .. ':events', '*', 'e', '{"do":"judge","asked":' .. asked .. '}')
return done(asked)
"""
)

#: ARGV: worker, how often he has begun to fetch.
BUSY = (
    _ONCE
    + """
redis.call('HSET', KEYS[1] .. ':epoch', ARGV[1], ARGV[2])
redis.call('HINCRBY', KEYS[1], 'moves', 1)
return done(1)
"""
)

#: ARGV: worker, task, seconds. Returns whether it is his alone for so long.
ALONE = (
    _ONCE
    + """
local taken = redis.call('SET', KEYS[1] .. ':task:' .. ARGV[2], ARGV[1], 'NX', 'EX', ARGV[3])
return done(taken and 1 or 0)
"""
)

#: ARGV: how many patterns are kept, then patterns, each with its row; without one it is forgotten.
NOTE = """
local yields = KEYS[1] .. ':yields'
local room = tonumber(ARGV[1]) - redis.call('HLEN', yields)
for n = 2, #ARGV, 2 do
  if ARGV[n + 1] == '' then
    room = room + redis.call('HDEL', yields, ARGV[n])
  elseif room > 0 or redis.call('HEXISTS', yields, ARGV[n]) == 1 then
    room = room - redis.call('HSET', yields, ARGV[n], ARGV[n + 1])
  end
end
return 1
"""

SCRIPTS = frozenset((PULSE, VISIT, PUBLISH, NEWS, SERVE, LEAVE, PARK, MOVE, JUDGE, BUSY, ALONE, NOTE))
"""All of them, to tell a script from a command."""
ONCE = frozenset(script for script in SCRIPTS if script.startswith(_ONCE))
"""Those that are told which call it is, since to run twice does harm."""
