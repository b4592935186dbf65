// The store that several gateways share, as plain data. [pure]
#pragma once

#include "proxy/failures/secret.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace photofinish::gateway {

// What holds for budgets while the store does not answer: each gateway's share of the rest, or nothing.
enum class store_failure_rule : std::uint8_t { local, deny };

struct store_settings {
  proxy::secret url;  // redis or rediss; empty: none. It may hold a password
  std::string ca_file;  // trusted for it, beside the system's
  std::chrono::milliseconds timeout{100};  // of each exchange with it
  std::string prefix = "pf";               // of all names in it
  store_failure_rule on_failure = store_failure_rule::local;

  bool operator==(const store_settings&) const = default;
};

}  // namespace photofinish::gateway
