// What a web page may do: which Origin may ask, under which Host, and what CORS tells the browser. [pure]
// A page that a user merely visits must not spend the keys of a gateway on that user's machine: a foreign
// Origin is refused on the request itself, and on loopback a foreign Host, which is how DNS rebinding shows.
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

// localhost, 127.0.0.0/8 and ::1, in the spelling that browsers use; brackets and port taken off.
bool is_loopback_host(std::string_view host);

// The configured ones ("*": any, "null" too), and http or https on a loopback host with any port. On a loopback
// listener also pages of desktop apps, by schemes that no web site can have: Tauri's, Capacitor's, Electron's, VS
// Code's. Never by default: null, file:// and extensions, because any sandboxed frame or extension has such an origin.
bool is_origin_allowed(std::string_view origin, const listen_address& listener,
                       std::span<const std::string> cors_origins);

// 403 for a foreign Origin, or for more than one; none when there is no Origin, or a good one.
std::optional<refusal> check_origin(std::span<const proxy::header_field> fields, const listen_address& listener,
                                    std::span<const std::string> cors_origins);

// allowed_hosts, beside loopback's own names. `host` is host[:port].
bool is_host_allowed(std::string_view host, std::span<const std::string> allowed_hosts);

// 403 for a foreign Host on a loopback listener. `host` is host[:port] or empty (HTTP/1.0), which passes.
std::optional<refusal> check_host(std::string_view host, const listen_address& listener,
                                  std::span<const std::string> allowed_hosts);

using header_list = std::vector<std::pair<std::string, std::string>>;

// Headers of the refusal of a foreign Origin or Host: the page may read why, and nothing else. Empty without an Origin,
// and with several.
header_list refusal_cors_headers(std::span<const proxy::header_field> fields);

// For every answer to a request with an allowed Origin, errors too. Empty without an Origin.
header_list cors_headers(std::span<const proxy::header_field> fields);

// False if there are several Origins.
bool is_preflight(std::string_view method, std::span<const proxy::header_field> fields);

// Headers of the 204 that answers a preflight, also of a foreign Origin: the request itself is refused then, in words
// that its page can read. Echoes the headers it asks for.
header_list preflight_headers(std::span<const proxy::header_field> fields);

}  // namespace photofinish::gateway
