#include "proxy/json/values/json_pointers.hpp"

#include "proxy/json/json_text.hpp"
#include "proxy/words/parse_number.hpp"

#include <cstddef>

namespace photofinish::proxy {
namespace {

// Limits the number of steps in a pointer, because each step reads the rest of a nested object again.
constexpr int most_steps = 32;

// Decodes one step of a JSON pointer: ~1 becomes a slash, and ~0 becomes a tilde.
std::string decoded_step(std::string_view step) {
  std::string text;
  for (std::size_t at = 0; at < step.size(); ++at) {
    const bool is_code = step[at] == '~' && at + 1 < step.size() && (step[at + 1] == '0' || step[at + 1] == '1');
    text += is_code ? (step[++at] == '1' ? '/' : '~') : step[at];
  }
  return text;
}

}  // namespace

std::optional<std::string_view> json_pointers::find(std::string_view pointer) {
  if (!pointer.starts_with('#')) return std::nullopt;
  pointer.remove_prefix(1);
  std::optional<std::string_view> part = root_;
  for (int steps = 0; part && !pointer.empty(); ++steps) {
    if (pointer.front() != '/' || steps == most_steps) return std::nullopt;
    pointer.remove_prefix(1);
    const std::string_view step = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(step.size());
    part = step_into(*part, decoded_step(step));
  }
  return part;
}

std::optional<std::string_view> json_pointers::step_into(std::string_view part, const std::string& key) {
  if (json_is_object(part)) {
    const members& all = members_of(part);
    const auto found = all.find(key);
    return found == all.end() ? std::nullopt : std::optional(found->second);
  }
  const auto index = parse_number<std::size_t>(key);
  if (!json_is_array(part) || !index) return std::nullopt;
  const std::vector<std::string_view>& all = elements_of(part);
  return *index < all.size() ? std::optional(all[*index]) : std::nullopt;
}

const json_pointers::members& json_pointers::members_of(std::string_view object) {
  const auto [known, is_new] = objects_.try_emplace(object.data());
  for (const json_member& each : json_members(is_new ? object : ""))
    known->second.emplace(json_unescape(each.raw_key), each.value);
  return known->second;
}

const std::vector<std::string_view>& json_pointers::elements_of(std::string_view list) {
  const auto [known, is_new] = lists_.try_emplace(list.data());
  for (const std::string_view each : json_elements(is_new ? list : "")) known->second.push_back(each);
  return known->second;
}

}  // namespace photofinish::proxy
