// What a provider says is left of a key's rate limits: its headers in one shape. [pure]
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace photofinish::proxy {

struct rate_headroom {
  static constexpr std::uint32_t unknown = UINT32_MAX;

  std::uint32_t requests = unknown;  // that may still be sent before it is full again
  std::uint32_t tokens = unknown;
  std::uint32_t requests_reset_ms = 0;  // from the answer on; 0: it did not say
  std::uint32_t tokens_reset_ms = 0;
  std::uint32_t requests_limit = unknown;  // how many there are in all, of the same window
  std::uint32_t tokens_limit = unknown;

  bool says_something() const { return requests != unknown || tokens != unknown; }
  bool operator==(const rate_headroom&) const = default;
};

// From the fields of an answer's head, with names in lower case: OpenAI's x-ratelimit-remaining-requests and its like
// (of several windows the one with the least left counts), and Anthropic's anthropic-ratelimit-…-remaining.
rate_headroom read_rate_headroom(std::span<const std::pair<std::string, std::string>> fields,
                                 std::chrono::sys_seconds now);

}  // namespace photofinish::proxy
