// An index of the top-level members of one JSON object. [pure] The index is built once and searched often. Keys are
// compared unescaped, so that "\u006dodel" equals "model".
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

// True if `raw_key`, a key as written in JSON text without its quotes, equals `key` when its escapes are decoded.
bool json_key_is(std::string_view raw_key, std::string_view key);

class member_index {
 public:
  // `object` must be valid JSON and outlive the index.
  explicit member_index(std::string_view object);
  // Accepts the members of a body that is not JSON, such as the fields of a form. Their names must not contain escapes.
  explicit member_index(std::vector<json_member> members);

  // Returns the first member with this name, or null.
  const json_member* find(std::string_view key) const {
    const bool may_be_there = has_escapes_ || (lengths_ & length_bit(key)) != 0;
    return may_be_there ? search(key) : nullptr;
  }
  // Returns the first name in `keys` that occurs twice among the members, or null. Accepts at most 64 keys.
  const std::string_view* find_repeated(std::span<const std::string_view> keys) const;
  std::span<const json_member> members() const { return members_; }

 private:
  // Returns a 64-bit mask with one bit set. The key's length determines the bit. All lengths above 62 bytes share the
  // last bit.
  static std::uint64_t length_bit(std::string_view key) {
    return std::uint64_t{1} << std::min<std::size_t>(key.size(), 63);
  }

  const json_member* search(std::string_view key) const;
  bool is_called(const json_member& member, std::string_view key) const;

  std::vector<json_member> members_;
  // The lengths of the object's keys, as a set with one bit for each length (see length_bit()). About sixty names are
  // looked up in a request. For most of these names, the set shows that no key has the same length.
  std::uint64_t lengths_ = 0;
  bool has_escapes_ = false;  // true if any key contains an escape, which is very rare
};

}  // namespace photofinish::proxy
