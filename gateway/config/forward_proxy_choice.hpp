// Chooses the proxy for a provider: from the configuration, otherwise from HTTPS_PROXY, HTTP_PROXY and NO_PROXY as curl
// and Go read them. [pure but for inet_pton]
#pragma once

#include "gateway/process/environment.hpp"
#include "proxy/providers/forward_proxy.hpp"
#include "proxy/providers/provider.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

struct forward_proxy_result {
  std::optional<proxy::forward_proxy> via;  // empty: connect directly, unless there is a problem
  std::string problem;  // text for people; it contains nothing of the URL, which may have a password
  std::string warning = {};  // text for people, appended to "provider 'x' ": the reason for a direct connection
};

// Parses "http://user:password@host:port", percent-encoded if necessary. The default scheme is http, the default port
// 80.
forward_proxy_result parse_forward_proxy(std::string_view text);

// True if a list in the form of NO_PROXY names the host: `*`, a name including all names below it (a leading dot is
// allowed), an IP address, or a range (10.0.0.0/8). `host:port` applies only to that port.
bool is_exempt(std::string_view no_proxy, const proxy::base_url& url);

// The choice for all providers: the configuration's `proxy` (empty: not set; "none": direct), otherwise the
// environment's. Loopback, and hosts in NO_PROXY, are always reached directly. An unusable proxy of the environment is
// a warning, not a problem, because it may be meant for programs that support other proxies.
forward_proxy_result forward_proxy_for(const proxy::base_url& url, const std::string& configured,
                                       const environment& machine);

}  // namespace photofinish::gateway
