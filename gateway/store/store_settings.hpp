// Holds the settings of the store that several gateways share, as plain data. [pure]
#pragma once

#include "proxy/failures/secret.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway {

// The limits of a gateway while the store does not answer: `local` allows its share of the rest, `deny` allows nothing.
enum class store_failure_rule : std::uint8_t { local, deny };

// Redis' sentinels, which know where the primary is. All sentinels have the same password. If it is empty, no password
// is sent.
struct sentinel_settings {
  std::string master;                  // the name that the sentinels give the primary
  std::vector<std::string> addresses;  // each address is valid for parse_sentinel_address()
  proxy::secret password;

  bool operator==(const sentinel_settings&) const = default;
};

struct store_settings {
  proxy::secret url;  // a redis or rediss URL, which may contain a password; empty if there is no store
  std::optional<sentinel_settings> sentinel;  // the sentinels, which replace the host and the port of the URL
  std::string ca_file;  // the file of certificates that are trusted in addition to the system's certificates
  std::chrono::milliseconds timeout{100};  // the time limit of each exchange with the store
  std::string prefix = "pf";               // the prefix of all key names in the store
  store_failure_rule on_failure = store_failure_rule::local;
  bool has_access_keys = false;  // true if the gateway also reads access_keys from the store

  bool operator==(const store_settings&) const = default;
};

}  // namespace photofinish::gateway
