// How clients come in, as plain data: TLS, who may connect at all, and balancers that say for whom they connect. [pure]
#pragma once

#include "gateway/ingress/address_range.hpp"
#include "proxy/failures/secret.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway {

// Whether a client proves by a certificate who it is. One that is sent must be valid, whichever it is.
enum class client_auth : std::uint8_t { none, optional, require };

struct tls_settings {
  std::string certificates;         // PEM: the server's own first, then those between it and a known authority
  proxy::secret key;                // PEM
  std::string client_authorities;   // PEM; empty with client_auth::none
  client_auth clients = client_auth::none;
  bool covers_admin = false;
  std::chrono::sys_seconds expires{};  // of the server's own certificate

  bool operator==(const tls_settings&) const = default;
};

struct ingress_settings {
  std::optional<tls_settings> tls;
  std::vector<address_range> allow_from;       // empty: everyone
  std::vector<address_range> trusted_proxies;  // whose PROXY header and X-Forwarded-For count
  bool proxy_protocol = false;                 // each connection begins with one

  bool operator==(const ingress_settings&) const = default;
};

}  // namespace photofinish::gateway
