#include "gateway/store/stored_key_commands.hpp"

#include <algorithm>

namespace photofinish::gateway {
namespace {

constexpr std::size_t longest_id = 64;

// A revision has sixteen digits, which Lua's own writing of numbers would round.
constexpr std::string_view put_text = R"lua(
local before = redis.call('GET', KEYS[1]) or ''
if before ~= ARGV[3] then return 0 end
local owner = redis.call('HGET', KEYS[3], ARGV[2])
if owner and owner ~= ARGV[1] then return 0 end
local time = redis.call('TIME')
local revision = time[1] * 1000000 + time[2]
local last = redis.call('ZREVRANGE', KEYS[2], 0, 0, 'WITHSCORES')
if last[2] and tonumber(last[2]) >= revision then revision = tonumber(last[2]) + 1 end
redis.call('SET', KEYS[1], ARGV[4])
redis.call('HSET', KEYS[3], ARGV[2], ARGV[1])
redis.call('ZADD', KEYS[2], string.format('%.0f', revision), ARGV[1])
return 1
)lua";

}  // namespace

bool is_stored_key_id(std::string_view text) {
  const auto is_fine = [](char letter) {
    return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           letter == '-' || letter == '.' || letter == '_';
  };
  return !text.empty() && text.size() <= longest_id && std::all_of(text.begin(), text.end(), is_fine);
}

store_command stored_key_commands::changes_after(std::int64_t revision) const {
  return {"ZRANGEBYSCORE", prefix_ + ":keys", "(" + std::to_string(revision), "+inf", "WITHSCORES", "LIMIT", "0",
          std::to_string(most_in_a_page)};
}

store_command stored_key_commands::read_entry(std::string_view id) const {
  return {"GETRANGE", prefix_ + ":key:" + std::string(id), "0", std::to_string(longest_entry)};
}

store_command stored_key_commands::find_name(std::string_view name) const {
  return {"HGET", prefix_ + ":keys:names", std::string(name)};
}

// EVAL with its text: only a person changes keys, and a gateway's user of the store need not be able to.
store_command stored_key_commands::put(const change& wanted) const {
  return {"EVAL", std::string(put_text), "3", prefix_ + ":key:" + wanted.id, prefix_ + ":keys", prefix_ + ":keys:names",
          wanted.id, wanted.name, wanted.before, wanted.entry};
}

std::optional<key_changes> changes_in(const store_reply& reply) {
  if (reply.kind != reply_kind::list || reply.list.size() % 2 != 0) return std::nullopt;
  key_changes found;
  found.is_full = reply.list.size() >= 2 * stored_key_commands::most_in_a_page;
  for (std::size_t at = 0; at + 1 < reply.list.size(); at += 2) {
    const store_reply& id = reply.list[at];
    const auto revision = reply.list[at + 1].number();
    if (id.kind != reply_kind::text || !is_stored_key_id(id.text) || !revision || *revision < 0) continue;
    found.all.push_back({id.text, *revision});
  }
  return found;
}

}  // namespace photofinish::gateway
