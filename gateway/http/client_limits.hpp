// The settings that limit one client's connection and its requests. [pure]
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace photofinish::gateway {

// A client's FIN during an answer means either that the client has left, or that it has only finished sending.
enum class half_close : std::uint8_t { abort, tolerate };

// The maximum value of max_header. It is limited, because a connection reads at most this many bytes ahead.
inline constexpr std::size_t longest_header = 256u << 10;

struct request_limits {
  std::size_t max_body = 32u << 20;
  std::size_t max_header = 64u << 10;
  std::chrono::milliseconds header_timeout{10'000};  // the time from a request's first byte to the end of its head
  std::chrono::milliseconds body_timeout{60'000};    // the maximum time without a byte while a body arrives
  // The maximum time between two requests. It is longer than the 90 s after which clients usually close idle
  // connections.
  std::chrono::milliseconds idle_timeout{120'000};

  bool operator==(const request_limits&) const = default;
};

}  // namespace photofinish::gateway
