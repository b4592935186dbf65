// What one client's connection and its requests may take: plain settings. [pure]
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace photofinish::gateway {

// What the FIN of a client means whose answer is under way: it has left, or it only has no more to say.
enum class half_close : std::uint8_t { abort, tolerate };

// The most that max_header may be: what a connection reads ahead.
inline constexpr std::size_t longest_header = 256u << 10;

struct request_limits {
  std::size_t max_body = 32u << 20;
  std::size_t max_header = 64u << 10;
  std::chrono::milliseconds header_timeout{10'000};  // first byte of a request to its last header byte
  std::chrono::milliseconds body_timeout{60'000};    // the body may pause so long
  std::chrono::milliseconds idle_timeout{120'000};   // between requests: above the clients' own pools' 90 s

  bool operator==(const request_limits&) const = default;
};

}  // namespace photofinish::gateway
