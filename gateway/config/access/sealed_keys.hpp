// What opens keys that carry their own claims, as plain data. [pure]
#pragma once

#include "proxy/failures/secret.hpp"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace photofinish::gateway {

struct sealed_key_settings {
  std::vector<proxy::secret> secrets;  // the first seals, each opens; none: there are no sealed keys
  std::string audience = "photofinish";  // whose keys are taken: those that name it
  std::set<std::string, std::less<>> revoked;  // ids of keys

  bool operator==(const sealed_key_settings&) const = default;
};

}  // namespace photofinish::gateway
