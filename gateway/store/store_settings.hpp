// Holds the settings of the store that several gateways share, as plain data. [pure]
#pragma once

#include "proxy/failures/secret.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway {

// Says what a gateway allows while the store does not answer. The value `local` allows this gateway's own part of each
// limit. The value `deny` allows no request that has limits.
enum class store_failure_rule : std::uint8_t { local, deny };

// Redis' sentinels, which know the address of the primary. All sentinels have the same password. If the password is
// empty, the gateway sends none.
struct sentinel_settings {
  std::string master;                  // the name by which the sentinels know the primary
  std::vector<std::string> addresses;  // the addresses of the sentinels, each valid for parse_sentinel_address()
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
  bool has_access_keys = false;  // true if the gateway also reads access keys from the store

  bool operator==(const store_settings&) const = default;
};

}  // namespace photofinish::gateway
