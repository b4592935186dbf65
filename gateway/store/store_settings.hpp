// Holds the settings of the store that several gateways share. It contains only plain data. [pure]
#pragma once

#include "proxy/failures/secret.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway {

// Determines what a gateway does while the store does not answer. `local`: this gateway allows its own share of each
// limit. `deny`: this gateway refuses all requests that have limits.
enum class store_failure_rule : std::uint8_t { local, deny };

// The settings of Redis' sentinels, which know the address of the primary server. All sentinels have the same password.
// If the password is empty, the gateway sends none.
struct sentinel_settings {
  std::string master;                  // the primary's name in the configuration of the sentinels
  // The addresses of the sentinels, in a form that parse_sentinel_address() accepts.
  std::vector<std::string> addresses;
  proxy::secret password;

  bool operator==(const sentinel_settings&) const = default;
};

struct store_settings {
  proxy::secret url;  // a redis or rediss URL, which may contain a password; empty if no store is used
  // The sentinels; if there are any, they replace the host and the port of the URL.
  std::optional<sentinel_settings> sentinel;
  std::string ca_file;  // a file with certificates that are trusted in addition to the system's certificates
  std::chrono::milliseconds timeout{100};  // the time limit for each exchange with the store
  std::string prefix = "pf";               // the prefix of all key names in the store
  store_failure_rule on_failure = store_failure_rule::local;
  bool has_access_keys = false;  // true if the gateway also reads access keys from the store

  bool operator==(const store_settings&) const = default;
};

}  // namespace photofinish::gateway
