// The HTTP proxy through which a provider is reached, where the network lets nothing else out. Plain data. [pure]
#pragma once

#include "proxy/failures/secret.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace photofinish::proxy {

struct forward_proxy {
  std::string host;  // lower case; an IPv6 address without its brackets
  std::uint16_t port = 80;
  secret credentials;  // the base64 of user:password; empty: none are asked for

  bool operator==(const forward_proxy&) const = default;
};

// Tells connections apart that are reached in different ways; credentials count, since a proxy may treat them
// differently. Empty: directly.
inline std::string route_of(const std::optional<forward_proxy>& via) {
  return via ? via->host + ":" + std::to_string(via->port) + " " + via->credentials.reveal() : std::string();
}

}  // namespace photofinish::proxy
