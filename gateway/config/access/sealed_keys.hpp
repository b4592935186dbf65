// The secrets for keys that contain their own claims, as plain data. [pure]
#pragma once

#include "proxy/failures/secret.hpp"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace photofinish::gateway {

struct sealed_key_settings {
  // The first one seals keys, all of them open keys; empty: there are no sealed keys.
  std::vector<proxy::secret> secrets;
  std::string audience = "photofinish";  // only keys with this audience are accepted
  std::set<std::string, std::less<>> revoked;  // ids of revoked keys

  bool operator==(const sealed_key_settings&) const = default;
};

}  // namespace photofinish::gateway
