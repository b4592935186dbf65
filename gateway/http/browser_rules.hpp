// Rules for requests from web pages: the accepted Origins and Hosts, and the CORS headers for the browser. [pure] A web
// page that a user merely visits must not be able to use the API keys of a gateway on the user's machine. Therefore the
// gateway refuses requests with a foreign Origin. On loopback it also refuses requests with a foreign Host, because a
// foreign Host is a sign of DNS rebinding.
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

// True for localhost, 127.0.0.0/8 and ::1. The host must be written as browsers write it, without brackets and port.
bool is_loopback_host(std::string_view host);

// True for the configured origins ("*" allows any origin, including "null"), and for http or https on a loopback host
// with any port. A loopback listener also allows the origins of desktop apps (Tauri, Capacitor, Electron, VS Code),
// because no web site can use their URL schemes. By default null, file:// and extensions are never allowed, because any
// sandboxed frame or extension has such an origin.
bool is_origin_allowed(std::string_view origin, const listen_address& listener,
                       std::span<const std::string> cors_origins);

// Returns a 403 if the request has a foreign Origin or several Origins. Otherwise returns nothing.
std::optional<refusal> check_origin(std::span<const proxy::header_field> fields, const listen_address& listener,
                                    std::span<const std::string> cors_origins);

// True if the host is in allowed_hosts, or is a name of the loopback interface. `host` has the form host[:port].
bool is_host_allowed(std::string_view host, std::span<const std::string> allowed_hosts);

// Returns a 403 if a request to a loopback listener has a foreign Host. `host` has the form host[:port]. An empty host
// (HTTP/1.0) is accepted.
std::optional<refusal> check_host(std::string_view host, const listen_address& listener,
                                  std::span<const std::string> allowed_hosts);

using header_list = std::vector<std::pair<std::string, std::string>>;

// Returns the headers for the refusal of a foreign Origin or Host. They let a page read the reason for the refusal and
// nothing else. Returns no headers if the request has no Origin, or several.
header_list refusal_cors_headers(std::span<const proxy::header_field> fields);

// Returns the CORS headers for every answer to a request with an allowed Origin, including errors. Returns no headers
// if the request has no Origin.
header_list cors_headers(std::span<const proxy::header_field> fields);

// True if the request is a CORS preflight. False if it has several Origins.
bool is_preflight(std::string_view method, std::span<const proxy::header_field> fields);

// Returns the headers of the 204 that answers a preflight, even if the Origin is foreign. The gateway then refuses the
// actual request with an error that the page can read. The returned headers allow all headers that the preflight lists.
header_list preflight_headers(std::span<const proxy::header_field> fields);

}  // namespace photofinish::gateway
