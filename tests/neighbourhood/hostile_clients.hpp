// Clients that flood the gateway, send huge bodies, pause, or leave. Each kind of client is a script that several
// threads repeat until the attack is over.
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
  std::uint16_t port;  // the port of the gateway
  clock::time_point ends_at;

  bool is_over() const { return clock::now() >= ends_at; }
};

// Thrown if the gateway did not send an answer that even a hostile client should get.
struct broken_promise : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct hostile_kind {
  std::string name;
  std::size_t clients;  // the number of clients that run at the same time
  // Runs the script once. Throws broken_promise if the gateway did not send a required answer. Throws another std::exception if the gateway
  // only closed the connection.
  std::function<void(const attack&)> once;
};

std::vector<hostile_kind> hostile_kinds();

}  // namespace photofinish::neighbourhood
