// The HTTP proxy between photofinish and a provider, for networks that do not permit direct connections. [pure] Plain
// data.
#pragma once

#include "proxy/failures/secret.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace photofinish::proxy {

struct forward_proxy {
  std::string host;  // the host in lower case; an IPv6 address has no brackets
  std::uint16_t port = 80;
  secret credentials;  // the base64 form of user:password; empty if the proxy requires no password

  bool operator==(const forward_proxy&) const = default;
};

// Returns a key that is different for each way to reach a host. The key includes the credentials, because a proxy may
// treat them differently. A direct connection has an empty key.
inline std::string route_of(const std::optional<forward_proxy>& via) {
  return via ? via->host + ":" + std::to_string(via->port) + " " + via->credentials.reveal() : std::string();
}

}  // namespace photofinish::proxy
