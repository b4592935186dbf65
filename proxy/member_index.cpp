#include "proxy/member_index.hpp"

#include <algorithm>

namespace photofinish::proxy {

bool json_key_is(std::string_view raw_key, std::string_view key) {
  if (raw_key == key) return true;
  return raw_key.size() > key.size() && raw_key.find('\\') != std::string_view::npos &&
         json_unescape(raw_key) == key;
}

member_index::member_index(std::string_view object) {
  if (!json_is_object(object)) return;
  json_walk walk(object);
  while (const auto member = walk.next_member()) members_.push_back(*member);
}

const json_member* member_index::find(std::string_view key) const {
  const auto found = std::find_if(members_.begin(), members_.end(), [key](const json_member& member) {
    return json_key_is(member.raw_key, key);
  });
  return found == members_.end() ? nullptr : &*found;
}

bool member_index::has_duplicate(std::string_view key) const {
  return std::count_if(members_.begin(), members_.end(), [key](const json_member& member) {
           return json_key_is(member.raw_key, key);
         }) > 1;
}

}  // namespace photofinish::proxy
