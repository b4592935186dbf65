#include "proxy/json/member_index.hpp"

#include <algorithm>

namespace photofinish::proxy {

bool json_key_is(std::string_view raw_key, std::string_view key) {
  if (raw_key == key) return true;
  return raw_key.size() > key.size() && raw_key.find('\\') != std::string_view::npos &&
         json_unescape(raw_key) == key;
}

member_index::member_index(std::string_view object) {
  if (!json_is_object(object)) return;
  members_.reserve(8);
  json_walk walk(object);
  while (const auto member = walk.next_member()) {
    has_escapes_ |= member->raw_key.find('\\') != std::string_view::npos;
    members_.push_back(*member);
  }
}

bool member_index::is_called(const json_member& member, std::string_view key) const {
  return member.raw_key == key || (has_escapes_ && json_key_is(member.raw_key, key));
}

const json_member* member_index::find(std::string_view key) const {
  const auto found = std::find_if(members_.begin(), members_.end(),
                                  [&](const json_member& member) { return is_called(member, key); });
  return found == members_.end() ? nullptr : &*found;
}

bool member_index::has_duplicate(std::string_view key) const {
  return std::count_if(members_.begin(), members_.end(),
                       [&](const json_member& member) { return is_called(member, key); }) > 1;
}

}  // namespace photofinish::proxy
