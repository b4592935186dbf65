// Rules for web pages: the accepted Origins and Hosts, and the CORS headers for the browser. [pure]
// A page that a user merely visits must not spend the keys of a gateway on that user's machine. Therefore the gateway
// refuses requests with a foreign Origin, and on loopback also with a foreign Host, because that is a sign of DNS
// rebinding.
#pragma once

#include "gateway/http/listen_address.hpp"
#include "gateway/http/refusal.hpp"
#include "proxy/http/http_head.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::gateway {

// True for localhost, 127.0.0.0/8 and ::1, in the spelling that browsers use, without brackets and port.
bool is_loopback_host(std::string_view host);

// Allows the configured origins ("*" allows any origin, including "null"), and http or https on a loopback host with
// any port. A loopback listener also allows pages of desktop apps, by schemes that no web site can have: Tauri's,
// Capacitor's, Electron's, VS Code's. By default null, file:// and extensions are never allowed, because any sandboxed
// frame or extension has such an origin.
bool is_origin_allowed(std::string_view origin, const listen_address& listener,
                       std::span<const std::string> cors_origins);

// A 403 for a foreign Origin, or for several. Nothing if there is no Origin, or an allowed one.
std::optional<refusal> check_origin(std::span<const proxy::header_field> fields, const listen_address& listener,
                                    std::span<const std::string> cors_origins);

// Allows allowed_hosts and the names of loopback. `host` is host[:port].
bool is_host_allowed(std::string_view host, std::span<const std::string> allowed_hosts);

// A 403 for a foreign Host on a loopback listener. `host` is host[:port], or empty (HTTP/1.0), which passes.
std::optional<refusal> check_host(std::string_view host, const listen_address& listener,
                                  std::span<const std::string> allowed_hosts);

using header_list = std::vector<std::pair<std::string, std::string>>;

// Headers for the refusal of a foreign Origin or Host: the page may read the reason and nothing else. Empty if there is
// no Origin, or several.
header_list refusal_cors_headers(std::span<const proxy::header_field> fields);

// Headers for every answer to a request with an allowed Origin, including errors. Empty without an Origin.
header_list cors_headers(std::span<const proxy::header_field> fields);

// False if there are several Origins.
bool is_preflight(std::string_view method, std::span<const proxy::header_field> fields);

// Headers of the 204 that answers a preflight, even with a foreign Origin. The gateway then refuses the request itself,
// with an error that the page can read. Repeats the requested headers.
header_list preflight_headers(std::span<const proxy::header_field> fields);

}  // namespace photofinish::gateway
