// Identifies a caller by a value of fixed size, which reveals no key. The value depends on the access key and on all
// other keys in the request.
#pragma once

#include "gateway/access/access.hpp"
#include "gateway/access/keys.hpp"

#include <array>
#include <string_view>

namespace photofinish::gateway {

using digest = std::array<unsigned char, 32>;

inline std::string_view as_text(const digest& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Returns equal digests only for requests of the same caller. The name of an access key counts instead of its value, so
// the digest stays the same when the value changes. All callers without a key count as one caller.
digest caller_digest(const caller& who, const presented_keys& presented);

}  // namespace photofinish::gateway
