// Identity providers whose tokens (JWT) are taken as keys, as plain data. [pure]
#pragma once

#include "proxy/providers/base_url.hpp"
#include "proxy/providers/forward_proxy.hpp"

#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway {

// Where an issuer shows the keys that it signs with.
struct jwks_source {
  proxy::base_url at;   // without a path
  std::string path = {};     // with its query
  std::string ca_file = {};  // PEM, trusted beside the system's; empty: none
  std::optional<proxy::forward_proxy> via = {};

  bool operator==(const jwks_source&) const = default;
};

struct jwt_issuer {
  std::string name;    // in its callers' names; unique, without '/'
  std::string issuer;  // the claim iss, to the letter; unique
  std::vector<std::string> audiences;  // one of them must be in the claim aud
  jwks_source jwks = {};
  std::string name_claim = "sub";
  // Empty: none. a.b is the member b of a, where there is no claim of that name.
  std::string team_claim = {}, routes_claim = {};
  std::string team = {};  // where the claim names none that is configured; empty: such a token is refused

  bool operator==(const jwt_issuer&) const = default;
};

}  // namespace photofinish::gateway
