// Finds out which target made the reasoning in a conversation. [pure] A target refuses reasoning that another target
// made.
#pragma once

#include "proxy/json/json_text.hpp"

#include <string_view>

namespace photofinish::proxy {

class foreign_reasoning {
 public:
  virtual ~foreign_reasoning() = default;

  // `opaque` is encrypted reasoning or a signature, without JSON escapes. Returns true if another target made it.
  // Returns false if the current target made it, or if the gateway does not know which target made it.
  virtual bool contains(std::string_view opaque) = 0;

  // Returns true only if the gateway knows that the current target made `opaque`.
  virtual bool is_own(std::string_view /*opaque*/) { return false; }
};

// Returns the result of known->contains() for a JSON string. Some clients write the string with escapes, so it is
// decoded first. Returns false if `known` is null.
inline bool is_known_foreign(foreign_reasoning* known, std::string_view json) {
  if (known == nullptr || !json_is_string(json)) return false;
  const std::string_view raw = json_raw_string(json);
  if (raw.empty()) return false;
  return raw.find('\\') == std::string_view::npos ? known->contains(raw) : known->contains(json_unescape(raw));
}

}  // namespace photofinish::proxy
