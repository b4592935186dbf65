// The members of one JSON object, which are found in one pass and can then be read by name. [pure]
#pragma once

#include "proxy/json/json_text.hpp"
#include "proxy/json/member_index.hpp"

#include <boost/container/small_vector.hpp>

#include <span>
#include <string_view>

namespace photofinish::proxy {

class object_members {
 public:
  // `object` must be valid JSON. A value that is not an object has no members.
  explicit object_members(std::string_view object) {
    for (const json_member& member : json_members(object)) members_.push_back(member);
  }

  // Returns the value of the first member with this key. The result is empty if there is no such member or
  // if its value is null.
  std::string_view operator[](std::string_view key) const {
    for (const json_member& each : members_)
      if (json_key_is(each.raw_key, key)) return each.value == "null" ? std::string_view{} : each.value;
    return {};
  }

  std::span<const json_member> all() const { return {members_.data(), members_.size()}; }

  // Returns the raw text of a string member between its quotes. The result is empty if the member is not a string.
  std::string_view word(std::string_view key) const { return json_raw_string((*this)[key]); }

 private:
  boost::container::small_vector<json_member, 12> members_;
};

}  // namespace photofinish::proxy
