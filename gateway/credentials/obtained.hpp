// A key that was obtained, or the reason for the failure. Plain data. [pure]
#pragma once

#include "proxy/failures/secret.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace photofinish::gateway {

struct obtained_key {
  proxy::secret key;                          // a bearer token, or AWS credentials joined to one text
  std::optional<std::chrono::seconds> lives;  // the remaining life of the key; not set if it is unknown
};

// The human-readable reason for the failure. It may quote a server's answer that contains secrets. The function that
// shows the reason to users removes them.
struct not_obtained {
  std::string why;
  bool is_absent = false;  // true if the place for the key does not exist, so that the next place is tried
};

using obtaining = std::variant<obtained_key, not_obtained>;

// Returns the contents of a file or an answer without the final line break.
inline std::string trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t begin = std::min(text.find_first_not_of(blanks), text.size());
  text.remove_prefix(begin);
  return std::string(text.substr(0, text.find_last_not_of(blanks) + 1));
}

inline not_obtained refused(std::string why) { return {std::move(why), false}; }
inline not_obtained absent(std::string why) { return {std::move(why), true}; }

}  // namespace photofinish::gateway
