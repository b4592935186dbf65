// The remaining rate limits of a key, in one common form for all providers. The provider reports them in the headers of
// its answers. [pure]
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace photofinish::proxy {

struct rate_headroom {
  static constexpr std::uint32_t unknown = UINT32_MAX;

  std::uint32_t requests = unknown;  // number of requests that are still allowed before the limit is reset
  std::uint32_t tokens = unknown;
  std::uint32_t requests_reset_ms = 0;  // milliseconds from the answer to the reset; 0 if not reported
  std::uint32_t tokens_reset_ms = 0;
  std::uint32_t requests_limit = unknown;  // number of requests that the limit allows in total
  std::uint32_t tokens_limit = unknown;

  bool says_something() const { return requests != unknown || tokens != unknown; }
  bool operator==(const rate_headroom&) const = default;
};

// Reads the rate limits from an answer's header fields, whose names are in lower case. Supports OpenAI's
// x-ratelimit-remaining-requests and similar names, and Anthropic's anthropic-ratelimit-…-remaining. If a provider
// reports limits for several time windows, uses the limit with the fewest remaining requests or tokens.
rate_headroom read_rate_headroom(std::span<const std::pair<std::string, std::string>> fields,
                                 std::chrono::sys_seconds now);

}  // namespace photofinish::proxy
