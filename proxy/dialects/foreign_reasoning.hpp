// Which reasoning of a conversation is known to be another target's, so that its target would refuse it. [pure]
#pragma once

#include "proxy/json/json_text.hpp"

#include <string_view>

namespace photofinish::proxy {

class foreign_reasoning {
 public:
  virtual ~foreign_reasoning() = default;

  // `opaque`: what its provider encrypted or signed, without JSON's escapes. False: its own, or nothing is known.
  virtual bool contains(std::string_view opaque) = 0;

  // True only if it is known that the target itself made the piece.
  virtual bool is_own(std::string_view /*opaque*/) { return false; }
};

// The same for a JSON string, which some clients write with escapes. `known` may be null.
inline bool is_known_foreign(foreign_reasoning* known, std::string_view json) {
  if (known == nullptr || !json_is_string(json)) return false;
  const std::string_view raw = json_raw_string(json);
  if (raw.empty()) return false;
  return raw.find('\\') == std::string_view::npos ? known->contains(raw) : known->contains(json_unescape(raw));
}

}  // namespace photofinish::proxy
