// Hosts to which credentials may be sent without TLS, or from which they may be requested without TLS. [pure]
#pragma once

#include "proxy/providers/url.hpp"

namespace photofinish::gateway {

// True if a secret may be sent there: over TLS, or only within this machine.
inline bool is_safe_for_secrets(const proxy::base_url& at) { return at.is_tls || proxy::is_loopback(at.host); }

// Also true for a metadata server: a link-local address, which no router forwards.
inline bool is_near_or_safe(const proxy::base_url& at) {
  const bool is_link_local = at.host.starts_with("169.254.") && proxy::is_ip_address(at.host);
  return is_safe_for_secrets(at) || is_link_local || at.host == "fd00:ec2::23" || at.host == "fd00:ec2::254" ||
         at.host == "metadata.google.internal";
}

// The rule of AWS's SDKs for a container's credentials: TLS, this machine, or the addresses of ECS and EKS.
inline bool may_have_container_credentials(const proxy::base_url& at) {
  return is_safe_for_secrets(at) || at.host == "169.254.170.2" || at.host == "169.254.170.23" ||
         at.host == "fd00:ec2::23";
}

}  // namespace photofinish::gateway
