// The time of the responses that leave now.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

namespace photofinish::gateway {

// "Sun, 06 Nov 1994 08:49:37 GMT". The text lives until this thread asks again.
std::string_view date_of_now();

// Since 1970: `created` of the answers that begin now.
inline std::int64_t unix_seconds() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()).time_since_epoch().count();
}

}  // namespace photofinish::gateway
