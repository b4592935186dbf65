// The settings of the store that several gateways share, as plain data. [pure]
#pragma once

#include "proxy/failures/secret.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway {

// The budget of a gateway while the store does not answer: its share of the rest, or nothing.
enum class store_failure_rule : std::uint8_t { local, deny };

// Redis' sentinels, which know where the primary is. All of them have the same password; empty: none is sent.
struct sentinel_settings {
  std::string master;                  // the sentinels' name of the primary
  std::vector<std::string> addresses;  // each is valid for parse_sentinel_address()
  proxy::secret password;

  bool operator==(const sentinel_settings&) const = default;
};

struct store_settings {
  proxy::secret url;  // redis or rediss; empty: no store. It may contain a password
  std::optional<sentinel_settings> sentinel;  // replaces the URL's host and port
  std::string ca_file;  // certificates trusted for the store in addition to the system's
  std::chrono::milliseconds timeout{100};  // limits each exchange with the store
  std::string prefix = "pf";               // prefix of all key names in the store
  store_failure_rule on_failure = store_failure_rule::local;
  bool has_access_keys = false;  // true if the gateway also reads access_keys from the store

  bool operator==(const store_settings&) const = default;
};

}  // namespace photofinish::gateway
