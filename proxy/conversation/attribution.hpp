// The attribution is a system text in which Claude Code identifies itself for Anthropic's billing. [pure] The value
// after `cch=` in this text changes with each request, so a prompt that begins with this text is never found in a
// prompt cache. Only Anthropic uses the text, and Amazon Bedrock refuses it.
#pragma once

#include "proxy/json/json_text.hpp"

#include <string_view>

namespace photofinish::proxy {

inline constexpr std::string_view attribution_begin = "x-anthropic-billing-header:";

// True if `text`, a JSON value, is the attribution text that Claude Code writes for Anthropic's billing.
inline bool is_attribution(std::string_view text) { return json_raw_string(text).starts_with(attribution_begin); }

// Returns the first block of a Messages request's `system` if that block is Claude Code's attribution. Otherwise
// returns an empty view.
inline std::string_view attribution_block(std::string_view system) {
  if (!json_is_array(system)) return {};
  const auto first = json_walk(system).next_element();
  return first && is_attribution(json_find(*first, "text").value_or("")) ? *first : std::string_view{};
}

}  // namespace photofinish::proxy
