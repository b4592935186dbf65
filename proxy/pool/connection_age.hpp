// Rules for the maximum age of a connection. A connection that is too old is replaced, because the provider's addresses
// may have changed. [pure]
#pragma once

#include "proxy/loop/alarms.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace photofinish::proxy {

// Returns the fraction of the maximum age after which a connection is replaced, from 0.8 to 1. The fractions differ, so
// that connections that were opened together do not end together. `serial` distinguishes connections that were opened
// at the same moment.
inline double lifetime_share(instant opened_at, std::uint64_t serial) {
  const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(opened_at.time_since_epoch()).count();
  std::uint64_t bits = static_cast<std::uint64_t>(nanoseconds) + serial * 0x9E3779B97F4A7C15u;
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9u;  // splitmix64
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBu;
  constexpr double shortest = 0.8, two_to_53 = 9007199254740992.0;
  return shortest + (1 - shortest) * static_cast<double>((bits ^ (bits >> 31)) >> 11) / two_to_53;
}

// The time when a connection was opened, and the fraction of the maximum age after which the connection is replaced.
struct connection_birth {
  instant opened_at{};
  double share = 1;

  // True if the connection is older than `share` times the maximum age `most`. If `most` is 0, connections may have any
  // age.
  bool is_too_old(std::chrono::milliseconds most, instant now) const {
    return most.count() > 0 && now - opened_at >= most * share;
  }
  // True if the connection will be too old after the time `ahead`. A replacement can then be opened while the old
  // connection still works.
  bool is_nearly_too_old(std::chrono::milliseconds most, std::chrono::steady_clock::duration ahead, instant now) const {
    return is_too_old(most, now + std::min<std::chrono::steady_clock::duration>(ahead, most / 2));
  }
};

}  // namespace photofinish::proxy
