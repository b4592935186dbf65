// Identity providers whose tokens (JWT) are accepted as keys, as plain data. [pure]
#pragma once

#include "proxy/providers/base_url.hpp"
#include "proxy/providers/forward_proxy.hpp"

#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway {

// The URL at which an identity provider publishes its signing keys.
struct jwks_source {
  proxy::base_url at;   // the scheme, host and port of the identity provider's URL
  std::string path = {};     // the path and query of the identity provider's URL
  std::string ca_file = {};  // PEM certificates that are trusted in addition to the system's; empty if there are none
  std::optional<proxy::forward_proxy> via = {};

  bool operator==(const jwks_source&) const = default;
};

struct jwt_issuer {
  std::string name;    // the unique name of the issuer, without '/'; it is a part of the names of the issuer's callers
  std::string issuer;  // the exact value of the claim iss; no other issuer may have the same value
  std::vector<std::string> audiences;  // the claim aud must contain one of these values
  jwks_source jwks = {};
  std::string name_claim = "sub";
  // The names of the claims with the team and the routes. If a name is empty, no claim is used. The name a.b means the
  // member b of the claim a, unless a claim has the name a.b.
  std::string team_claim = {}, routes_claim = {};
  std::string team = {};  // the team for tokens that do not name a configured team; if empty, such tokens are refused

  bool operator==(const jwt_issuer&) const = default;
};

}  // namespace photofinish::gateway
