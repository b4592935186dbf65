#include "gateway/store/stored_key_commands.hpp"

#include "proxy/json/character_set.hpp"

namespace photofinish::gateway {
namespace {

constexpr std::size_t longest_id = 64;

// Writes the entry of an access key. A revision has sixteen digits, which Lua's default number format would round. A
// last revision that is more than a day in the future is ignored. The key gets a new revision even if its entry does
// not change, for two reasons. First, a call is repeated if its reply was lost. Second, the entry may have been written
// by hand, without a revision.
constexpr std::string_view put_text = R"lua(
local before = redis.call('GET', KEYS[1]) or ''
local is_there = before == ARGV[4] and before ~= ''
if before ~= ARGV[3] and not is_there then return 0 end
local owner = redis.call('HGET', KEYS[3], ARGV[2])
local is_others = owner and owner ~= ARGV[1] and
                  redis.call('EXISTS', string.sub(KEYS[1], 1, -#ARGV[1] - 1) .. owner) == 1
if is_others and before == '' and ARGV[4] ~= '' then return 0 end
local time = redis.call('TIME')
local revision = time[1] * 1000000 + time[2]
local last = redis.call('ZREVRANGEBYSCORE', KEYS[2], revision + 86400000000, '-inf', 'WITHSCORES', 'LIMIT', 0, 1)
if last[2] and tonumber(last[2]) >= revision then revision = tonumber(last[2]) + 1 end
if ARGV[4] == '' then redis.call('DEL', KEYS[1]) else redis.call('SET', KEYS[1], ARGV[4]) end
if ARGV[2] ~= '' and not is_others then redis.call('HSET', KEYS[3], ARGV[2], ARGV[1]) end
redis.call('ZADD', KEYS[2], string.format('%.0f', revision), ARGV[1])
return 1
)lua";

}  // namespace

bool is_stored_key_id(std::string_view text) {
  return !text.empty() && text.size() <= longest_id && proxy::consists_of_letters(text, "-._");
}

store_command stored_key_commands::count() const { return {"ZCARD", prefix_ + ":keys"}; }

store_command stored_key_commands::page(std::int64_t from, std::size_t offset) const {
  return {"ZRANGEBYSCORE", prefix_ + ":keys", std::to_string(from), "+inf", "WITHSCORES", "LIMIT",
          std::to_string(offset), std::to_string(most_in_a_page)};
}

store_command stored_key_commands::read_entry(std::string_view id) const {
  return {"GETRANGE", prefix_ + ":key:" + std::string(id), "0", std::to_string(longest_entry)};
}

store_command stored_key_commands::find_name(std::string_view name) const {
  return {"HGET", prefix_ + ":keys:names", std::string(name)};
}

// Sends the whole script with EVAL instead of loading it first. Only operators change keys, so the gateway's store user
// does not need the permission for EVAL.
store_command stored_key_commands::put(const change& wanted) const {
  return {"EVAL", std::string(put_text), "3", prefix_ + ":key:" + wanted.id, prefix_ + ":keys", prefix_ + ":keys:names",
          wanted.id, wanted.name, wanted.before, wanted.entry};
}

std::optional<key_changes> changes_in(const store_reply& reply, std::int64_t latest) {
  if (reply.kind != reply_kind::list || reply.list.size() % 2 != 0) return std::nullopt;
  key_changes found;
  found.members = reply.list.size() / 2;
  if (found.members > 0) found.first = reply.list.front().text, found.last = reply.list[reply.list.size() - 2].text;
  for (std::size_t at = 0; at + 1 < reply.list.size(); at += 2) {
    const store_reply& id = reply.list[at];
    const auto revision = reply.list[at + 1].number();
    if (id.kind != reply_kind::text || !is_stored_key_id(id.text) || !revision) continue;
    if (*revision < 0 || *revision > latest) continue;
    found.all.push_back({id.text, *revision});
  }
  return found;
}

}  // namespace photofinish::gateway
