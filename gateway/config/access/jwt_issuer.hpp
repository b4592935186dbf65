// Identity providers whose tokens (JWT) are accepted as keys, as plain data. [pure]
#pragma once

#include "proxy/providers/base_url.hpp"
#include "proxy/providers/forward_proxy.hpp"

#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway {

// The URL at which an issuer publishes its signing keys.
struct jwks_source {
  proxy::base_url at;   // the URL without its path
  std::string path = {};     // path and query
  std::string ca_file = {};  // PEM, trusted in addition to the system's certificates; empty: none
  std::optional<proxy::forward_proxy> via = {};

  bool operator==(const jwks_source&) const = default;
};

struct jwt_issuer {
  std::string name;    // part of its callers' names; unique, without '/'
  std::string issuer;  // exact value of the claim iss; unique
  std::vector<std::string> audiences;  // the claim aud must contain one of these
  jwks_source jwks = {};
  std::string name_claim = "sub";
  // Names of claims; an empty name means that there is no such claim. a.b is the member b of a, unless a claim has the
  // name a.b.
  std::string team_claim = {}, routes_claim = {};
  std::string team = {};  // the team if the claim names no configured team; empty: such a token is refused

  bool operator==(const jwt_issuer&) const = default;
};

}  // namespace photofinish::gateway
