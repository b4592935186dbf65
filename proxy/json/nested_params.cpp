#include "proxy/json/nested_params.hpp"

#include "proxy/json/json_text.hpp"
#include "proxy/json/member_index.hpp"

#include <algorithm>

namespace photofinish::proxy {
namespace {

bool remove_in_elements(std::string_view path, std::string_view array, json_edits& edits) {
  bool is_found = false;
  for (const std::string_view element : json_elements(array)) is_found |= remove_nested(path, element, edits);
  return is_found;
}

bool remove_in_members(std::string_view path, std::string_view object, json_edits& edits) {
  const std::size_t end = std::min(path.find_first_of(".["), path.size());
  const std::string_view key = path.substr(0, end), rest = path.substr(end);
  bool is_found = false;
  for (const json_member& member : json_members(object)) {
    if (!json_key_is(member.raw_key, key)) continue;
    if (!rest.empty()) {
      is_found |= remove_nested(rest, member.value, edits);
    } else {
      edits.remove_member(member);
      is_found = true;
    }
  }
  return is_found;
}

}  // namespace

bool remove_nested(std::string_view path, std::string_view value, json_edits& edits) {
  if (path.starts_with("[]") && json_is_array(value)) return remove_in_elements(path.substr(2), value, edits);
  if (path.starts_with('.') && json_is_object(value)) return remove_in_members(path.substr(1), value, edits);
  return false;
}

}  // namespace photofinish::proxy
