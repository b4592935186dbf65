// Checks quickly whether a body may contain certain rare keys. [pure] Long bodies have an index of their keys, and
// short bodies are searched.
#pragma once

#include "proxy/json/client_body.hpp"
#include "proxy/json/key_search.hpp"

#include <algorithm>
#include <span>
#include <string_view>

namespace photofinish::proxy {

// Returns false if no object in the body contains any of these keys. Keys that are written with escapes are not found.
inline bool may_hold_one_of(const client_body& body, std::span<const std::string_view> keys) {
  if (!body.is_long()) return holds_quoted(body.json(), keys);
  return std::any_of(keys.begin(), keys.end(), [&body](std::string_view each) { return body.may_hold_key(each); });
}

inline bool may_hold(const client_body& body, std::string_view key) {
  return may_hold_one_of(body, std::span<const std::string_view>(&key, 1));
}

}  // namespace photofinish::proxy
