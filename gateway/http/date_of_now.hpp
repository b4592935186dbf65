// The current time in the formats that responses need.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

namespace photofinish::gateway {

// Returns a date such as "Sun, 06 Nov 1994 08:49:37 GMT". The text is valid until this thread's next call.
std::string_view date_of_now();

// Returns the seconds since 1970. New answers report this value as `created`.
inline std::int64_t unix_seconds() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()).time_since_epoch().count();
}

}  // namespace photofinish::gateway
