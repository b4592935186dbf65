// Decides which hosts may get or send credentials without TLS. [pure]
#pragma once

#include "proxy/providers/url.hpp"

namespace photofinish::gateway {

// True if a secret may be sent to this URL: the URL has TLS, or it is on this machine.
inline bool is_safe_for_secrets(const proxy::base_url& at) { return at.is_tls || proxy::is_loopback(at.host); }

// Also true for metadata servers, which have a link-local address. No router forwards packets to a link-local address.
inline bool is_near_or_safe(const proxy::base_url& at) {
  const bool is_link_local = at.host.starts_with("169.254.") && proxy::is_ip_address(at.host);
  return is_safe_for_secrets(at) || is_link_local || at.host == "fd00:ec2::23" || at.host == "fd00:ec2::254" ||
         at.host == "metadata.google.internal";
}

// The rule of AWS's SDKs for the credentials of a container. The URL must have TLS, be on this machine, or have an
// address of ECS or EKS.
inline bool may_have_container_credentials(const proxy::base_url& at) {
  return is_safe_for_secrets(at) || at.host == "169.254.170.2" || at.host == "169.254.170.23" ||
         at.host == "fd00:ec2::23";
}

}  // namespace photofinish::gateway
