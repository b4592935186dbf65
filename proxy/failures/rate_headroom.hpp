// The remaining rate limits of a key, as a provider reports them in its headers, in one common form. [pure]
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace photofinish::proxy {

struct rate_headroom {
  static constexpr std::uint32_t unknown = UINT32_MAX;

  std::uint32_t requests = unknown;  // requests that may still be sent before the limit resets
  std::uint32_t tokens = unknown;
  std::uint32_t requests_reset_ms = 0;  // milliseconds from the answer to the reset; 0: not reported
  std::uint32_t tokens_reset_ms = 0;
  std::uint32_t requests_limit = unknown;  // the whole limit of the window that `requests` counts
  std::uint32_t tokens_limit = unknown;

  bool says_something() const { return requests != unknown || tokens != unknown; }
  bool operator==(const rate_headroom&) const = default;
};

// Reads the fields of an answer's head, with names in lower case. It knows OpenAI's x-ratelimit-remaining-requests and
// similar names, and Anthropic's anthropic-ratelimit-…-remaining. If there are several windows, the one with the least
// left counts.
rate_headroom read_rate_headroom(std::span<const std::pair<std::string, std::string>> fields,
                                 std::chrono::sys_seconds now);

}  // namespace photofinish::proxy
