// Through which proxy a provider is reached: by the configuration, else by HTTPS_PROXY, HTTP_PROXY and NO_PROXY as
// curl and Go read them. [pure but for inet_pton]
#pragma once

#include "gateway/process/environment.hpp"
#include "proxy/providers/forward_proxy.hpp"
#include "proxy/providers/provider.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

struct forward_proxy_result {
  std::optional<proxy::forward_proxy> via;  // none: directly, unless there is a problem
  std::string problem;                      // for a person; it repeats nothing of the URL, which may hold a password
  std::string warning = {};  // likewise, to stand behind "provider 'x' ": why it is reached directly after all
};

// "http://user:password@host:port", percent-encoded where it must be; without a scheme it is http, without a port 80.
forward_proxy_result parse_forward_proxy(std::string_view text);

// Whether a list as NO_PROXY holds one names the host: `*`, a name with all below it (a dot before it is allowed), an
// IP address, or a range of them (10.0.0.0/8). `host:port` counts for that port only.
bool is_exempt(std::string_view no_proxy, const proxy::base_url& url);

// What is said for all providers: the configuration's `proxy` (empty: nothing is said; "none": directly), else the
// environment's. Loopback, and what NO_PROXY names, is always reached directly. The environment's is a warning where it
// is not usable, not a problem: it may be meant for programs that know other proxies.
forward_proxy_result forward_proxy_for(const proxy::base_url& url, const std::string& configured,
                                       const environment& machine);

}  // namespace photofinish::gateway
