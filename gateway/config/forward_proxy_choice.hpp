// Chooses the HTTP proxy for a provider. The configuration has priority; otherwise HTTPS_PROXY, HTTP_PROXY and NO_PROXY
// decide, as curl and Go read them. [pure but for inet_pton]
#pragma once

#include "gateway/process/environment.hpp"
#include "proxy/providers/forward_proxy.hpp"
#include "proxy/providers/provider.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

struct forward_proxy_result {
  std::optional<proxy::forward_proxy> via;  // the proxy; if empty and without a problem, the gateway connects directly
  std::string problem;  // an error text without any part of the URL, because the URL may contain a password
  // The reason for a direct connection. The text completes a message that begins with "provider 'x' ".
  std::string warning = {};
};

// Parses "http://user:password@host:port". User and password may be percent-encoded. The default scheme is http, and
// the default port is 80.
forward_proxy_result parse_forward_proxy(std::string_view text);

// True if a list in the form of NO_PROXY names the host. An entry is `*`, a name including all names below it (with or
// without a leading dot), an IP address, or a range (10.0.0.0/8). An entry `host:port` applies only to that port.
bool is_exempt(std::string_view no_proxy, const proxy::base_url& url);

// Chooses the HTTP proxy for a provider that does not name one. `configured` is the setting `proxy`: a URL, "none" for
// no proxy, or empty if it is not set. If it is empty, the environment decides. Loopback, and hosts in NO_PROXY, are
// always reached directly. An unusable proxy in the environment is a warning, not a problem, because it may be meant
// for programs that support other kinds of proxies.
forward_proxy_result forward_proxy_for(const proxy::base_url& url, const std::string& configured,
                                       const environment& machine);

}  // namespace photofinish::gateway
