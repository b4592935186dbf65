// The store that several gateways share, as plain data. [pure]
#pragma once

#include "proxy/failures/secret.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway {

// What holds for budgets while the store does not answer: each gateway's share of the rest, or nothing.
enum class store_failure_rule : std::uint8_t { local, deny };

// Redis' sentinels, which say where the primary is. One password, which all of them take; empty: none is sent.
struct sentinel_settings {
  std::string master;                  // as they call it
  std::vector<std::string> addresses;  // each is right: parse_sentinel_address()
  proxy::secret password;

  bool operator==(const sentinel_settings&) const = default;
};

struct store_settings {
  proxy::secret url;  // redis or rediss; empty: none. It may hold a password
  std::optional<sentinel_settings> sentinel;  // in place of the URL's host and port
  std::string ca_file;  // trusted for it, beside the system's
  std::chrono::milliseconds timeout{100};  // of each exchange with it
  std::string prefix = "pf";               // of all names in it
  store_failure_rule on_failure = store_failure_rule::local;
  bool has_access_keys = false;  // entries of access_keys are read from it, too

  bool operator==(const store_settings&) const = default;
};

}  // namespace photofinish::gateway
