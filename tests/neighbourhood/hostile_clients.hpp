// Clients that flood, pause, bloat and leave. A kind is a script that many threads repeat until the time is over.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace photofinish::neighbourhood {

using clock = std::chrono::steady_clock;

struct attack {
  std::uint16_t port;  // the gateway's
  clock::time_point ends_at;

  bool is_over() const { return clock::now() >= ends_at; }
};

// What even a hostile client may expect did not come.
struct broken_promise : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct hostile_kind {
  std::string name;
  std::size_t clients;  // at a time
  std::function<void(const attack&)> once;  // throws broken_promise, or std::exception where a peer just left
};

std::vector<hostile_kind> hostile_kinds();

}  // namespace photofinish::neighbourhood
