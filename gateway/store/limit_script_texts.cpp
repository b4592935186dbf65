#include "gateway/store/limit_script_texts.hpp"

namespace photofinish::gateway {
namespace {

// ARGV contains charge, want, least, unit and gateways, and then each returned amount, followed by the time since the
// amount was taken. `whole` is the size of the bucket. `little[i]` is the last time when at most whole / 2^i was
// missing from the bucket. The bucket gets back at most the smallest amount that was missing since the returned amount
// was taken (see reservation_bucket). `paid` is the time when all debt will be paid if no request uses the bucket. A
// debt closes the bucket for at most an hour, and the rest of the debt is deferred. While there is deferred debt, each
// lease costs the bucket twice the leased amount, and the second half pays the debt.
constexpr std::string_view lease_text = R"lua(
local whole, hour, day = 60000000, 3600000000, 86400000000
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local kept, all = {}, redis.call('HGETALL', KEYS[1])
for at = 1, #all, 2 do kept[all[at]] = tonumber(all[at + 1]) end
local full, changed, little = math.min(kept.full or 0, now + hour), kept.changed or 0, {}
local paid = kept.paid or 0
for i = 0, 5 do little[i] = kept['little' .. i] or 0 end
local function missing() return math.max(0, full - now) end
local function note()
  changed = now
  for i = 0, 5 do if missing() <= whole / 2 ^ i then little[i] = now end end
end
local function put_off() return math.max(0, paid - math.max(full, now)) end
local function least_missing(since)
  if changed <= since then return hour end
  for i = 0, 5 do if little[i] <= since then return whole / 2 ^ i end end
  return 0
end
for at = 6, #ARGV - 1, 2 do
  local back = math.floor(math.min(ARGV[at] + 0, missing(), least_missing(now - ARGV[at + 1])))
  if back > 0 then full, paid = full - back, paid - back; note() end
end
note()
if ARGV[1] + 0 > 0 then
  local debt, owed = put_off(), math.max(full, now) + ARGV[1]
  full = math.min(owed, now + hour)
  paid = math.max(paid, full + math.min(day, debt + owed - full))
end
local want, least, unit, given = ARGV[2] + 0, ARGV[3] + 0, ARGV[4] + 0, 0
local room = math.max(0, whole - missing())
if room >= least then
  given = math.min(want, room)
  local spare = math.min(room - given, math.max(100000, math.min(room / (2 * ARGV[5]), math.max(1000000, 32 * unit))))
  if unit > 0 and spare >= unit then given = given + math.floor(spare / unit) * unit end
  if given > 0 then
    local payment = math.min(given, put_off())
    full, paid = math.max(full, now) + given + payment, paid + given
  end
end
local state = {'full', string.format('%.0f', full), 'changed', string.format('%.0f', changed), 'paid',
               string.format('%.0f', math.max(0, paid))}
for i = 0, 5 do
  state[#state + 1] = 'little' .. i
  state[#state + 1] = string.format('%.0f', little[i])
end
redis.call('HSET', KEYS[1], unpack(state))
redis.call('EXPIRE', KEYS[1], 7200 + math.ceil(put_off() / 1000000))
return {given, missing()}
)lua";

constexpr std::string_view permit_text = R"lua(
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local own, want, most, number = ARGV[1], ARGV[2] + 0, ARGV[3] + 0, ARGV[5] + 0
local others, all = 0, redis.call('HGETALL', KEYS[1])
for at = 1, #all, 2 do
  local count, till, its = string.match(all[at + 1], '^(%d+):(%d+):(%d+)$')
  if all[at] == own then
    if count and its + 0 > number then return count + 0 end
  elseif not count or till + 0 <= now then redis.call('HDEL', KEYS[1], all[at])
  else others = others + count end
end
local held = math.min(want, math.max(0, most - others))
if held > 0 then redis.call('HSET', KEYS[1], own, string.format('%d:%.0f:%.0f', held, now + ARGV[4], number))
else redis.call('HDEL', KEYS[1], own) end
redis.call('EXPIRE', KEYS[1], 60)
return held
)lua";

}  // namespace

std::string_view lease_script() { return lease_text; }
std::string_view permit_script() { return permit_text; }

}  // namespace photofinish::gateway
