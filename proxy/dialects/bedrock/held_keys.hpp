// Whether a body is worth walking for what few have: a long one knows its keys, of a short one a look tells. [pure]
#pragma once

#include "proxy/json/client_body.hpp"

#include <string>
#include <string_view>

namespace photofinish::proxy {

inline bool may_hold(const client_body& body, std::string_view key) {
  if (body.is_long()) return body.may_hold_key(key);
  return body.json().find("\"" + std::string(key) + "\"") != std::string_view::npos;
}

}  // namespace photofinish::proxy
