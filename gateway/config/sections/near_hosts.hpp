// Decides which hosts may get or send credentials without TLS. [pure]
#pragma once

#include "proxy/providers/url.hpp"

namespace photofinish::gateway {

// True if secrets may be sent to this URL, because the URL uses TLS or its host is this machine.
inline bool is_safe_for_secrets(const proxy::base_url& at) { return at.is_tls || proxy::is_loopback(at.host); }

// True if is_safe_for_secrets() is true, and also for the metadata servers of clouds. These servers have link-local
// addresses, and no router forwards packets to such addresses.
inline bool is_near_or_safe(const proxy::base_url& at) {
  const bool is_link_local = at.host.starts_with("169.254.") && proxy::is_ip_address(at.host);
  return is_safe_for_secrets(at) || is_link_local || at.host == "fd00:ec2::23" || at.host == "fd00:ec2::254" ||
         at.host == "metadata.google.internal";
}

// Applies the rule of AWS's SDKs for URLs that return a container's credentials. The URL must use TLS, or its host must
// be this machine or an address of ECS or EKS.
inline bool may_have_container_credentials(const proxy::base_url& at) {
  return is_safe_for_secrets(at) || at.host == "169.254.170.2" || at.host == "169.254.170.23" ||
         at.host == "fd00:ec2::23";
}

}  // namespace photofinish::gateway
