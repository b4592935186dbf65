// The settings of incoming connections, as plain data: TLS, the addresses that may connect, and trusted load balancers.
// [pure]
#pragma once

#include "gateway/ingress/address_range.hpp"
#include "proxy/failures/secret.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway {

// States whether clients must send a certificate. A certificate that a client sends must be valid in any case.
enum class client_auth : std::uint8_t { none, optional, require };

struct tls_settings {
  // The certificates in PEM format: first the server's own certificate, then the chain up to a trusted authority.
  std::string certificates;
  proxy::secret key;                // the server's private key in PEM format
  std::string client_authorities;   // the certificates of client authorities in PEM format; empty with
                                    // client_auth::none
  client_auth clients = client_auth::none;
  bool covers_admin = false;
  std::chrono::sys_seconds expires{};  // the time when the server's own certificate expires

  bool operator==(const tls_settings&) const = default;
};

struct ingress_settings {
  std::optional<tls_settings> tls;
  std::vector<address_range> allow_from;       // the addresses that may connect; if empty, all addresses may connect
  std::vector<address_range> trusted_proxies;  // the proxies whose PROXY header and X-Forwarded-For header are trusted
  bool proxy_protocol = false;                 // true if each connection begins with a PROXY header

  bool operator==(const ingress_settings&) const = default;
};

}  // namespace photofinish::gateway
