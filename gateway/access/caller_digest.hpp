// Who a caller is, as a value of fixed size that does not reveal a key: the access key, and all other keys that came.
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

// Equal for requests of one caller alone. Of an access key its name counts, so that a new value under the same name
// goes on. Without any key all callers are one.
digest caller_digest(const caller& who, const presented_keys& presented);

}  // namespace photofinish::gateway
