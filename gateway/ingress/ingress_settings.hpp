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

// Whether clients must prove their identity by a certificate. If a client sends a certificate, it must always be valid.
enum class client_auth : std::uint8_t { none, optional, require };

struct tls_settings {
  // The certificates as PEM: the server's own certificate first, then the chain up to a known authority.
  std::string certificates;
  proxy::secret key;                // the server's private key as PEM
  std::string client_authorities;   // certificates of authorities as PEM; empty with client_auth::none
  client_auth clients = client_auth::none;
  bool covers_admin = false;
  std::chrono::sys_seconds expires{};  // the time when the server's own certificate expires

  bool operator==(const tls_settings&) const = default;
};

struct ingress_settings {
  std::optional<tls_settings> tls;
  std::vector<address_range> allow_from;       // addresses that may connect; if empty, all addresses may
  std::vector<address_range> trusted_proxies;  // proxies whose PROXY header and X-Forwarded-For are trusted
  bool proxy_protocol = false;                 // true if each connection begins with a PROXY header

  bool operator==(const ingress_settings&) const = default;
};

}  // namespace photofinish::gateway
