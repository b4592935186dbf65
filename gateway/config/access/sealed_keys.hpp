// The secrets that seal and open sealed keys, as plain data. A sealed key contains its own claims. [pure]
#pragma once

#include "proxy/failures/secret.hpp"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace photofinish::gateway {

struct sealed_key_settings {
  // The first secret seals new keys, and any of the secrets can open a key. If the list is empty, there are no sealed
  // keys.
  std::vector<proxy::secret> secrets;
  std::string audience = "photofinish";  // only keys with this audience are accepted
  std::set<std::string, std::less<>> revoked;  // the ids of the keys that were revoked

  bool operator==(const sealed_key_settings&) const = default;
};

}  // namespace photofinish::gateway
