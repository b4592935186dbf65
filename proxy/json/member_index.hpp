// Where the top-level members of one JSON object are: made once, asked often. [pure]
// Keys are compared unescaped, so that "\u006dodel" is "model".
#pragma once

#include "proxy/json/json_text.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
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
  // The members of another thing, for example a form. Their names hold no escapes.
  explicit member_index(std::vector<json_member> members);

  // The first member of that name; null if there is none.
  const json_member* find(std::string_view key) const {
    const bool may_be_there = has_escapes_ || (lengths_ & length_bit(key)) != 0;
    return may_be_there ? search(key) : nullptr;
  }
  // The first of `keys` that two members have; null when there is none. At most 64 keys.
  const std::string_view* find_repeated(std::span<const std::string_view> keys) const;
  std::span<const json_member> members() const { return members_; }

 private:
  // One bit for each length of a key; lengths of 63 bytes and more share the last bit.
  static std::uint64_t length_bit(std::string_view key) {
    return std::uint64_t{1} << std::min<std::size_t>(key.size(), 63);
  }

  const json_member* search(std::string_view key) const;
  bool is_called(const json_member& member, std::string_view key) const;

  std::vector<json_member> members_;
  std::uint64_t lengths_ = 0;  // A request looks for some sixty names, and most of them have a length that no key has.
  bool has_escapes_ = false;   // in some key: hardly ever
};

}  // namespace photofinish::proxy
