#include "proxy/conversation/tool_names.hpp"

#include "proxy/json/character_set.hpp"

#include <cstdint>
#include <set>

namespace photofinish::proxy {
namespace {

constexpr std::size_t longest_name = 64;
constexpr std::string_view separator = "__";
constexpr character_set letters{"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"};

std::string text_of(std::string_view json) { return json_unescape(json_raw_string(json)); }

// True if the name begins with a letter or an underscore. Only Gemini requires this, but the rule is applied for all
// providers, so that a tool has the same name at each of them.
bool begins_as_word(std::string_view name) {
  const char first = name.empty() ? '0' : name.front();
  return first == '_' || (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z');
}

void note_call(restored_calls& calls, call_kind kind, std::string_view name, std::string_view name_space) {
  std::string flat = flat_tool_name(name_space, name);
  restored_call call{kind, text_of(name), text_of(name_space)};
  if (call.kind != call_kind::function || call.name != flat) calls.try_emplace(std::move(flat), std::move(call));
}

}  // namespace

// Computes FNV-1a.
std::string short_hash(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::uint32_t hash = 2166136261u;
  for (const char each : text) hash = (hash ^ static_cast<unsigned char>(each)) * 16777619u;
  std::string hex;
  for (int shift = 28; shift >= 0; shift -= 4) hex.push_back(digits[(hash >> shift) & 15]);
  return hex;
}

std::string flat_tool_name(std::string_view name_space, std::string_view name) {
  std::string flat = text_of(name_space);
  if (!flat.empty() && !flat.ends_with(separator)) flat += separator;
  flat += text_of(name);
  const bool is_fine = flat.size() <= longest_name && letters.holds_all(flat) && begins_as_word(flat);
  if (is_fine) return flat;
  const std::string hash = short_hash(flat);
  if (!begins_as_word(flat)) flat.insert(0, "_");
  for (char& each : flat)
    if (!letters.holds(each)) each = '_';
  flat.resize(std::min(flat.size(), longest_name - 1 - hash.size()));
  return flat + "_" + hash;
}

restored_calls restored_calls_of(const conversation& said) {
  restored_calls calls;
  for (const tool& each : said.tools) note_call(calls, each.kind, each.name, each.name_space);
  // Tools that appear only in the history are included, because a model may call them again.
  for (const block& each : said.blocks)
    if (each.kind == block_kind::call) note_call(calls, each.called, each.name, each.name_space);
  return calls;
}

bool has_colliding_names(const conversation& said) {
  std::set<std::string> seen;
  for (const tool& each : said.tools)
    if (!seen.insert(flat_tool_name(each.name_space, each.name)).second) return true;
  return false;
}

}  // namespace photofinish::proxy
