// Where the top-level members of one JSON object are: made once, asked often. [pure]
// Keys are compared unescaped, so that "\u006dodel" is "model".
#pragma once

#include "proxy/json/json_text.hpp"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::proxy {

// Whether a key as written in JSON text, without its quotes, spells `key`.
bool json_key_is(std::string_view raw_key, std::string_view key);

class member_index {
 public:
  // `object` is valid JSON and outlives the index.
  explicit member_index(std::string_view object);
  // Of something else that has members, by names that hold no escapes.
  explicit member_index(std::vector<json_member> members) : members_(std::move(members)) {}

  const json_member* find(std::string_view key) const;  // the first one; null when there is none
  // The first of `keys` that two members have; null when there is none. At most 64 keys.
  const std::string_view* find_repeated(std::span<const std::string_view> keys) const;
  std::span<const json_member> members() const { return members_; }

 private:
  bool is_called(const json_member& member, std::string_view key) const;

  std::vector<json_member> members_;
  bool has_escapes_ = false;  // in some key: hardly ever
};

}  // namespace photofinish::proxy
