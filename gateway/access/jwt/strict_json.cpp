#include "gateway/access/jwt/strict_json.hpp"

#include <set>
#include <string>
#include <vector>

namespace photofinish::gateway {

std::optional<nlohmann::json> read_strict_object(std::string_view text) {
  using nlohmann::json;
  constexpr int most_levels = 16;
  std::vector<std::set<std::string>> names;  // the member names that were read so far in each open object
  bool is_strict = true;
  const json::parser_callback_t see = [&](int depth, json::parse_event_t event, json& value) {
    if (depth > most_levels) is_strict = false;
    if (event == json::parse_event_t::object_start) names.emplace_back();
    if (event == json::parse_event_t::object_end) names.pop_back();
    if (event == json::parse_event_t::key && !names.back().insert(value.get<std::string>()).second) is_strict = false;
    return is_strict;  // if this function returns false, the parser skips the value, and does not read deeper levels
  };
  json read = json::parse(text, see, false);
  if (!is_strict || !read.is_object()) return std::nullopt;
  return read;
}

}  // namespace photofinish::gateway
